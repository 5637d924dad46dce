import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConnectionError,
  type Event,
  type HousebillClient,
  HousebillError,
} from '../../../clients/typescript/src/entry.ts'

/** The API lists an event within about a second of the change. */
const betweenReadsMs = 1_000
const pageSize = 100
/** No event is that late, so the first page is empty and its cursor is behind the last event. */
const afterEverything = '9999-12-31T00:00:00Z'

interface FollowOptions {
  /** Where to begin; undefined begins behind the last event. */
  since: Date | undefined
  /** Ends the reading, which then throws the signal's reason. */
  signal: AbortSignal
  /** Called when the events cannot be read for the moment. They are read again a second later. */
  onOutage: (error: HousebillError) => void
}

/**
 * Reads the partner's events page by page, in the order in which they were dispatched, and goes on as new ones happen.
 * A page can be empty; the first one shows that the reading has begun. Throws HousebillError if it cannot begin, or if
 * the deployment rejects a call.
 */
export async function* followEvents(
  client: HousebillClient,
  { since, signal, onOutage }: FollowOptions,
): AsyncGenerator<readonly Event[]> {
  let from: { cursor: string } | { createdAfter?: string } = { createdAfter: since?.toISOString() ?? afterEverything }
  for (let hasBegun = false; ; ) {
    try {
      const page = await client.listEvents({ order: 'oldest', limit: pageSize, ...from }, { signal })
      hasBegun = true
      if (page.nextCursor !== null) from = { cursor: page.nextCursor }
      yield page.data
      if (page.data.length === pageSize) continue
    } catch (error) {
      if (hasBegun && isOutage(error)) onOutage(error)
      else throw error
    }
    await sleep(betweenReadsMs, undefined, { signal })
  }
}

function isOutage(error: unknown): error is HousebillError {
  return error instanceof ConnectionError || (error instanceof HousebillError && (error.status ?? 0) >= 429)
}
