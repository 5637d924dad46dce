import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type RecordingResult, recordAttempts } from '../delivery/record-attempts.ts'
import type { DeliverySender } from './sending.ts'

interface RecordingOptions {
  db: Database
  log: Logger
  sending: Pick<DeliverySender, 'ended' | 'release'>
  retrySeconds: readonly number[]
}

const batch = 500

/**
 * Records up to 500 ended attempts together, frees their slots, and returns which webhooks were disabled and when
 * retries are due. While the database is unavailable, throws and keeps the attempts. If PostgreSQL rejects an attempt,
 * records each one separately and drops the rejected one, whose delivery is due again when its lease expires.
 */
export async function recordEndedAttempts({
  db,
  log,
  sending,
  retrySeconds,
}: RecordingOptions): Promise<RecordingResult> {
  const ended = sending.ended.slice(0, batch)
  const record = (attempts: typeof ended) => recordAttempts({ db, retrySeconds, random: Math.random }, attempts)
  const result: RecordingResult = { disabled: [], retriesInMs: [] }
  const add = ({ disabled, retriesInMs }: RecordingResult) => {
    result.disabled.push(...disabled)
    result.retriesInMs.push(...retriesInMs)
  }
  try {
    if (ended.length > 0) add(await record(ended))
    sending.release(ended.length)
  } catch (error) {
    if (error instanceof DomainError) throw error
    for (const one of ended) {
      try {
        add(await record([one]))
      } catch (rejection) {
        if (rejection instanceof DomainError) throw rejection
        const { deliveryId } = one.delivery
        log.error(
          { err: rejection, deliveryId },
          'attempt could not be recorded; it will be repeated when its lease expires',
        )
      }
      sending.release(1)
    }
  }
  for (const webhook of result.disabled) log.warn(webhook, 'a webhook was disabled')
  return result
}
