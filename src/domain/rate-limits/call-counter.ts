/** What one limit counts: at most `quota` in a window, which begins with the first call and ends `windowSeconds` later. */
export interface LimitPolicy {
  name: string
  quota: number
  windowSeconds: number
}

/** What is counted of a key in the window that is open. */
export interface Count {
  total: number
  /** Until the window ends; the whole window where none is open. */
  msLeft: number
}

/** Counts by key. Keys are spelt by us and hold no personal datum. */
export interface CallCounter {
  /** Adds `points`, which may be negative to take some back, and returns the total with them. Each call sees another total. */
  add(key: string, points: number): Promise<Count>
  /** Without counting, and without opening a window. */
  read(key: string): Promise<Count>
}

/** Where limits are counted: in this process, or in a store that processes share. */
export interface CallCounters {
  open(policy: LimitPolicy): CallCounter
}

/** Places left under a limit, never below none. */
export function placesLeft({ quota }: LimitPolicy, { total }: Count): number {
  return Math.max(0, quota - total)
}

/** Until a window ends, in whole seconds as headers have it: never 0, as "now" would be too early. */
export function secondsLeft({ msLeft }: Count): number {
  return Math.max(1, Math.ceil(msLeft / 1000))
}
