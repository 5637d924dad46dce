import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { type EndedAttempt, recordAttempts } from '../../domain/webhooks/delivery/record-attempts.ts'
import { DomainError } from '../../kernel/errors.ts'
import { startLoop } from './loop.ts'

interface RecordingOptions {
  db: Database
  log: Logger
  retrySeconds: readonly number[]
  longestPauseMs: number
  onDisabled(): void
  /** Some were written down; so many deliveries that had waited behind them are due now. */
  onRecorded(ended: readonly EndedAttempt[], released: number): void
  /** A retry to this webhook, recorded here, is due now. */
  onRetryDue(webhookId: string): void
}

export interface Recording {
  /** Attempts that have ended and are not written down yet. */
  readonly waiting: number
  add(ended: EndedAttempt): void
  /** Writes down what is left, and resolves. */
  stop(): Promise<void>
}

const mostAtOnce = 500
/** A transaction costs as much as twenty attempts in it: what ends within this time shares one; the longer while many end. */
const rest = { ms: 10, busyMs: 40, busyFrom: 48 }
/** Retries further away are found by the poll; a timer each would only cost memory. */
const timedRetryMs = 60_000

/**
 * Writes ended attempts down: whatever has ended while the last transaction was under way goes into the next, so a
 * single attempt is recorded at once and many share a transaction. While PostgreSQL is away they wait, and leasing with
 * them. One that PostgreSQL refuses is found by recording its companions one by one, and dropped; its lease then ends.
 */
export function startRecording(options: RecordingOptions): Recording {
  const { db, log, retrySeconds, longestPauseMs, onDisabled, onRecorded, onRetryDue } = options
  const waiting: EndedAttempt[] = []
  const timers = new Set<NodeJS.Timeout>()
  let singly = 0
  let recordedLast = 0

  async function recordSome(): Promise<void> {
    const batch = waiting.slice(0, singly > 0 ? 1 : mostAtOnce)
    let releasedCount = 0
    try {
      const { disabled, retries, released } = await recordAttempts({ db, retrySeconds, random: Math.random }, batch)
      releasedCount = released
      for (const { webhookId, inMs } of retries) wakeAt(webhookId, inMs)
      for (const webhook of disabled) log.warn(webhook, 'a webhook was disabled')
      if (disabled.length > 0) onDisabled()
    } catch (error) {
      if (error instanceof DomainError) throw error
      if (batch.length > 1) {
        singly = batch.length
        return
      }
      log.error(
        { err: error, deliveryId: batch[0]?.delivery.deliveryId },
        'an attempt could not be recorded; its delivery is due again when its lease ends',
      )
    }
    if (singly > 0) singly -= 1
    waiting.splice(0, batch.length)
    recordedLast = batch.length
    onRecorded(batch, releasedCount)
  }

  function wakeAt(webhookId: string, inMs: number): void {
    if (inMs > timedRetryMs) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      onRetryDue(webhookId)
    }, inMs)
    timers.add(timer)
  }

  const loop = startLoop({
    run: async () => {
      if (waiting.length === 0) return 'idle'
      await recordSome()
      return 'more'
    },
    onError: (error) => log.warn({ err: error }, 'attempts could not be recorded; retrying'),
    longestPauseMs,
    restMs: () => (recordedLast < rest.busyFrom ? rest.ms : rest.busyMs),
  })

  return {
    get waiting() {
      return waiting.length
    },
    add(ended) {
      waiting.push(ended)
      loop.wake()
    },
    async stop() {
      await loop.stop()
      for (const timer of timers) clearTimeout(timer)
      try {
        while (waiting.length > 0) await recordSome()
      } catch (error) {
        log.warn(
          { err: error, attempts: waiting.length },
          'attempts could not be recorded before stopping; their deliveries are sent again',
        )
      }
    },
  }
}
