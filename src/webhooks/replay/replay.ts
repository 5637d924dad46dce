import { type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { keptDays, keptSince } from '../history/kept-payloads.ts'

export const replayStatuses = ['running', 'completed', 'stopped'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

/**
 * One replay of a webhook's events from a time range. It resends events that failed and sends those that were never
 * sent.
 */
export interface Replay {
  replayId: Id<'replay'>
  webhookId: Id<'webhook'>
  /** `stopped`: the webhook was disabled during the replay. */
  status: ReplayStatus
  /** Only events at or after this time are replayed. */
  since: Date
  /** Only events before this time are replayed. */
  until: Date
  /** How many failed deliveries have been queued again so far. */
  redelivered: number
  /** How many events that had no delivery have been queued so far. */
  missed: number
  createdAt: Date
  finishedAt: Date | null
}

/**
 * The requested range of a replay. Without a start, the range covers everything that is kept; without an end, it
 * extends to the time of the request.
 */
export interface ReplayRequest {
  since: Date | undefined
  until: Date | undefined
}

export interface ReplayRange {
  since: Date
  until: Date
  /**
   * True if the request gives no end, or an end in the future. The range then includes everything up to the time of the
   * request.
   */
  isOpen: boolean
}

/**
 * The time range that a request asks for, in real time and not on the sandbox clock. Throws `validation_failed` if the
 * range is empty or starts before the oldest payloads that are kept.
 */
export function rangeOf(request: ReplayRequest, now: Date): ReplayRange {
  const { since = keptSince(now), until } = request
  const fields: FieldError[] = []
  const reject = (pointer: string, detail: string) => fields.push({ pointer, code: 'out_of_range', detail })
  if (since < keptSince(now))
    reject('/since', `Must be at most ${keptDays} days ago: payloads are only kept for that long.`)
  if (since >= now)
    reject('/since', 'Must be in the past. Real time counts, even if your sandbox clock has been moved.')
  if (until !== undefined && until <= since)
    reject(
      '/until',
      request.since === undefined ? `Must be within the last ${keptDays} days.` : 'Must be later than since.',
    )
  if (fields.length > 0) throw invalidFields(fields)
  const isOpen = until === undefined || until >= now
  return { since, until: isOpen ? now : until, isOpen }
}

/**
 * The range of a running replay, widened to include the requested range; undefined if the replay already covers that
 * range.
 */
export function widenedRange(running: ReplayRange, requested: ReplayRange): ReplayRange | undefined {
  const isCovered =
    requested.since >= running.since && (requested.isOpen ? running.isOpen : requested.until <= running.until)
  if (isCovered) return undefined
  return {
    since: requested.since < running.since ? requested.since : running.since,
    until: requested.until > running.until ? requested.until : running.until,
    isOpen: running.isOpen || requested.isOpen,
  }
}
