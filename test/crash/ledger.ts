import { appendFileSync } from 'node:fs'

/** An acknowledged write with its key and the exact bytes of the 200. */
export interface AcknowledgedWrite {
  path: string
  body: unknown
  key: string
  text: string
}

/** The client's record of acknowledged writes, which no kill affects: in memory, and in a file for later inspection. */
export class Ledger {
  readonly acknowledged: AcknowledgedWrite[] = []
  /** Requests that were retried because there was no response or because the response asked for a retry. */
  retries = 0
  /** The retries whose connection had broken before a response, so that the outcome was unknown. */
  unanswered = 0
  readonly statuses = new Map<number, number>()
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  write(entry: AcknowledgedWrite): void {
    this.acknowledged.push(entry)
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}
