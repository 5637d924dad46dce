import { appendFileSync } from 'node:fs'

/** A write that was asked for under a key of its own, and acknowledged: the very bytes of the 200. */
export interface Acknowledged {
  path: string
  body: unknown
  key: string
  text: string
}

/** Outside of everything that is killed: what was acknowledged, in memory and, line by line, in a file for a look afterwards. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = []
  /** Requests that were sent again because nothing, or a "not now", came back. */
  retries = 0
  /** Of them: the connection broke before an answer came, so that nobody could know. */
  unanswered = 0
  readonly statuses = new Map<number, number>()
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  write(entry: Acknowledged): void {
    this.acknowledged.push(entry)
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}
