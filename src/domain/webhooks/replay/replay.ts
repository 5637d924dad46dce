import { DomainError, type FieldError } from '../../../kernel/errors.ts'
import { keptDays, keptSince } from '../history/kept-payloads.ts'

export const replayStatuses = ['running', 'completed', 'stopped'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

/** One run over a webhook's events of a time that sends again what failed, and sends what was never sent. */
export interface Replay {
  replayId: string
  webhookId: string
  /** `stopped`: the webhook was disabled meanwhile. */
  status: ReplayStatus
  /** Events of this moment or later. */
  since: Date
  /** Events before this moment. */
  until: Date
  /** How many deliveries that had failed were queued again so far. */
  redelivered: number
  /** How many events without a delivery were queued so far. */
  missed: number
  createdAt: Date
  finishedAt: Date | null
}

/** What a replay goes over. Without a beginning it takes all that is kept; without an end it goes up to the moment it is asked for. */
export interface ReplayWish {
  since: Date | undefined
  until: Date | undefined
}

export interface ReplayRange {
  since: Date
  until: Date
  /** No end was asked for: nothing that happened until now is left out. */
  isOpen: boolean
}

/** The range of a wish, real time. Throws `validation_failed` for one in which nothing can lie, or of which payloads are gone. */
export function rangeOf(wish: ReplayWish, now: Date): ReplayRange {
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

/**
 * What a running replay has to go over once another range is asked for; undefined where that lies within what it goes over
 * already.
 */
export function widened(running: ReplayRange, wished: ReplayRange): ReplayRange | undefined {
  const isCovered = wished.since >= running.since && (wished.isOpen ? running.isOpen : wished.until <= running.until)
  if (isCovered) return undefined
  return {
    since: wished.since < running.since ? wished.since : running.since,
    until: wished.until > running.until ? wished.until : running.until,
    isOpen: running.isOpen || wished.isOpen,
  }
}
