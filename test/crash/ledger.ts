import { appendFileSync } from 'node:fs'

/** A write that the service acknowledged: the request, its idempotency key and the exact text of the 200 response. */
export interface AcknowledgedWrite {
  path: string
  body: unknown
  key: string
  text: string
}

/**
 * The client's record of acknowledged writes. It survives every kill, because it is kept in the client's memory and in
 * a file.
 */
export class Ledger {
  readonly acknowledged: AcknowledgedWrite[] = []
  /** How many requests were retried, because there was no response or because the response asked for a retry. */
  retries = 0
  /** How many requests had an unknown outcome, because no response arrived. */
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
