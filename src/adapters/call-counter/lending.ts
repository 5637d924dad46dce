/** A count of one key: which counter, how long its window is, and which key. */
export interface CountedKey {
  counter: string
  windowMs: number
  key: string
}

/** Calls that a process may count by itself, numbered `first` to `last`, until `msLeft` have passed. */
export interface Loan {
  first: number
  last: number
  msLeft: number
}

/** The text that identifies the counted key in both processes. */
export function nameOf({ counter, key }: Pick<CountedKey, 'counter' | 'key'>): string {
  return `${counter} ${key}`
}
