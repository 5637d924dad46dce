import type { PaymentStatus } from '../../quoting/tenants/customer.ts'
import { hasIntentEnded, type SetupIntent } from '../payment-processor.ts'
import type { StoredSetupIntent } from './setup-intents.store.ts'

/** A webhook from the processor. `eventAt` is on the processor's clock, in whole seconds. */
export interface NoticeSource {
  by: 'notice'
  eventAt: Date
}

/**
 * The processor's response when we read the intent; `revision` is the intent's revision in our database at the time of
 * the request.
 */
export interface ResponseSource {
  by: 'response'
  revision: number
}

/** A response to a command, such as a cancellation. It shows the current state. */
export interface CommandSource {
  by: 'command'
}

/** How we learnt an intent's state from the processor. */
export type ReportSource = NoticeSource | ResponseSource | CommandSource

/**
 * `ignored`: repeated, late or out of date. `attached`: a card is attached, whatever this report says. `current`: apply
 * it. `uncertain`: it may be older than what we know, and only the processor can tell.
 */
export type ReportVerdict = 'ignored' | 'attached' | 'current' | 'uncertain'

/**
 * How far the processor's clock may be ahead of ours. If it were further ahead, a late notice could set a payment
 * status back to an earlier value, until the next notice or check corrects it.
 */
const clocksApartMs = 5_000

/**
 * Decides what to do with a report about an intent. A cancelled intent stays cancelled, and a succeeded intent stays
 * succeeded unless it is cancelled. A report of either state is never uncertain. A response counts only if the intent
 * has not changed since the request. A notice older than the last one is ignored. A notice that would change the
 * payment status or reports another decline is uncertain if it is from the same second as the last one, or may be from
 * before the last response.
 */
export function judgeReport(
  stored: Pick<
    StoredSetupIntent,
    'status' | 'lastEventAt' | 'lastResponseAt' | 'revision' | 'replacesCard' | 'declinedAttempt'
  >,
  paymentStatus: PaymentStatus,
  {
    intent,
    source,
  }: { intent: Pick<SetupIntent, 'status' | 'lastAttemptFailed' | 'latestAttempt'>; source: ReportSource },
): ReportVerdict {
  if (stored.status === 'canceled' || isBefore(source, stored.lastEventAt)) return 'ignored'
  if (stored.status === 'succeeded' && intent.status !== 'canceled') return 'attached'
  if (hasIntentEnded(intent)) return 'current'
  if (source.by === 'response') return source.revision === stored.revision ? 'current' : 'ignored'
  const moves =
    !stored.replacesCard && !hasCollectionOutcome(paymentStatus) && paymentStatusOf(intent) !== paymentStatus
  return (moves || isNewDecline(stored, intent)) && !isDefinitelyNewer(stored, source) ? 'uncertain' : 'current'
}

/** Whether the report is about a declined attempt that is not recorded yet. */
export function isNewDecline(
  stored: Pick<StoredSetupIntent, 'declinedAttempt'>,
  intent: Pick<SetupIntent, 'lastAttemptFailed' | 'latestAttempt'>,
): boolean {
  return intent.lastAttemptFailed && intent.latestAttempt !== null && intent.latestAttempt !== stored.declinedAttempt
}

/**
 * Whether the report is certainly newer than everything recorded so far. The times of responses come from our clock,
 * those of notices from the processor's clock.
 */
export function isDefinitelyNewer(
  { lastEventAt, lastResponseAt }: Pick<StoredSetupIntent, 'lastEventAt' | 'lastResponseAt'>,
  source: ReportSource,
): boolean {
  if (source.by !== 'notice') return true
  const respondedBy = (lastResponseAt?.getTime() ?? Number.NEGATIVE_INFINITY) + clocksApartMs
  return source.eventAt.getTime() > respondedBy && (lastEventAt === null || source.eventAt > lastEventAt)
}

function isBefore(source: ReportSource, time: Date | null): boolean {
  return source.by === 'notice' && time !== null && source.eventAt < time
}

/** The payment status that follows from an intent's state at the processor. */
export function paymentStatusOf(intent: Pick<SetupIntent, 'status' | 'lastAttemptFailed'>): PaymentStatus {
  switch (intent.status) {
    case 'succeeded':
      return 'ready'
    case 'canceled':
      return 'not_started'
    case 'requires_payment_method':
      return intent.lastAttemptFailed ? 'setup_failed' : 'setup_started'
    case 'requires_confirmation':
    case 'requires_action':
    case 'processing':
      return 'setup_started'
  }
}

/**
 * Whether the status is the result of a collection. After a collection, reports about the setup intent no longer change
 * the payment status.
 */
export function hasCollectionOutcome(status: PaymentStatus): boolean {
  return status === 'paid' || status === 'failed'
}
