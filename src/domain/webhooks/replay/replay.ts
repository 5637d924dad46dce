import { DomainError, type FieldError } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/ids.ts'
import { keptDays, keptSince } from '../history/kept-payloads.ts'

export const replayStatuses = ['running', 'completed', 'stopped'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

/** One replay of a webhook's events of a time range: sends again what failed, and sends what was never sent. */
export interface Replay {
  replayId: Id<'replay'>
  webhookId: Id<'webhook'>
  /** `stopped`: the webhook was disabled meanwhile. */
  status: ReplayStatus
  /** Events at or after this time. */
  since: Date
  /** Events before this time. */
  until: Date
  /** Failed deliveries queued again so far. */
  redelivered: number
  /** Events without a delivery queued so far. */
  missed: number
  createdAt: Date
  finishedAt: Date | null
}

/** The requested range of a replay. Without a start, everything that is kept; without an end, up to the time of the request. */
export interface ReplayRequest {
  since: Date | undefined
  until: Date | undefined
}

export interface ReplayRange {
  since: Date
  until: Date
  /** No end was given: everything until now is included. */
  isOpen: boolean
}

/** The range of a request, in real time. Throws `validation_failed` if it is empty or its payloads are no longer kept. */
export function rangeOf(wish: ReplayRequest, now: Date): ReplayRange {
  const { since = keptSince(now), until } = wish
  const fields: FieldError[] = []
  const refuse = (pointer: string, detail: string) => fields.push({ pointer, code: 'out_of_range', detail })
  if (since < keptSince(now))
    refuse('/since', `Must be at most ${keptDays} days ago: payloads are only kept for that long.`)
  if (since >= now) refuse('/since', 'Must be in the past, in real time even if your sandbox clock has been moved.')
  if (until !== undefined && until <= since)
    refuse(
      '/until',
      wish.since === undefined ? `Must be within the last ${keptDays} days.` : 'Must be later than since.',
    )
  const [first] = fields
  if (first !== undefined) throw new DomainError('validation_failed', detailOf(fields, first), { fields })
  const isOpen = until === undefined || until >= now
  return { since, until: isOpen ? now : until, isOpen }
}

function detailOf(fields: readonly FieldError[], first: FieldError): string {
  return fields.length === 1
    ? `${first.pointer.slice(1)}: ${first.detail}`
    : 'Some values are invalid. Correct each field as errors describes.'
}

/** The new range of a running replay when another one is requested; undefined if the running one covers it already. */
export function widened(running: ReplayRange, wished: ReplayRange): ReplayRange | undefined {
  const isCovered = wished.since >= running.since && (wished.isOpen ? running.isOpen : wished.until <= running.until)
  if (isCovered) return undefined
  return {
    since: wished.since < running.since ? wished.since : running.since,
    until: wished.until > running.until ? wished.until : running.until,
    isOpen: running.isOpen || wished.isOpen,
  }
}
