import type { PaymentStatus } from '../customers/customer.ts'
import type { SetupIntent } from './payment-processor.ts'
import type { StoredSetupIntent } from './setup-intents.store.ts'
import { hasEnded, isCollecting, paymentStatusOf } from './setup-outcome.ts'

/** A webhook from the processor, at its own time in whole seconds. */
export interface Noticed {
  by: 'notice'
  eventAt: Date
}

/** A response to reading the intent; `revision` is what we had stored at the time of the request. */
export interface Answered {
  by: 'answer'
  revision: number
}

/** A response to a command, such as cancelling: the current state. */
export interface Stepped {
  by: 'step'
}

/** How we learnt an intent's state from the processor. */
export type Told = Noticed | Answered | Stepped

/**
 * `ignored`: repeated, late or out of date. `attached`: a card is attached, whatever this report says. `current`: apply it.
 * `uncertain`: it may be older than what we know, and only the processor can tell.
 */
export type Judgement = 'nothing' | 'attached' | 'news' | 'doubtful'

/**
 * How far the processor's clock may be ahead of ours. With a larger difference, a late notice could move a payment back until the
 * next notice or check.
 */
const clocksApartMs = 5_000

/**
 * Decides what to do with a report about an intent. A cancelled intent stays cancelled, and a succeeded one succeeded unless it is
 * cancelled; other final states are never uncertain. A response counts only if the intent has not changed since the request. A
 * notice older than the last one is late. A notice from the same second as the last one, or possibly from before the last response,
 * is uncertain if it would change the payment status.
 */
export function judgeNews(
  stored: Pick<StoredSetupIntent, 'status' | 'lastEventAt' | 'lastAnswerAt' | 'revision'>,
  paymentStatus: PaymentStatus,
  { intent, told }: { intent: Pick<SetupIntent, 'status' | 'lastAttemptFailed'>; told: Told },
): Judgement {
  if (stored.status === 'canceled' || isBefore(told, stored.lastEventAt)) return 'nothing'
  if (stored.status === 'succeeded' && intent.status !== 'canceled') return 'attached'
  if (hasEnded(intent)) return 'news'
  if (told.by === 'answer') return told.revision === stored.revision ? 'news' : 'nothing'
  const moves = !isCollecting(paymentStatus) && paymentStatusOf(intent) !== paymentStatus
  return moves && !isSurelyLast(stored, told) ? 'doubtful' : 'news'
}

/** Whether the report is newer than everything known. Responses are timed by our clock and notices by the processor's. */
export function isSurelyLast(
  { lastEventAt, lastAnswerAt }: Pick<StoredSetupIntent, 'lastEventAt' | 'lastAnswerAt'>,
  told: Told,
): boolean {
  if (told.by !== 'notice') return true
  const answeredBy = (lastAnswerAt?.getTime() ?? Number.NEGATIVE_INFINITY) + clocksApartMs
  return told.eventAt.getTime() > answeredBy && (lastEventAt === null || told.eventAt > lastEventAt)
}

function isBefore(told: Told, time: Date | null): boolean {
  return told.by === 'notice' && time !== null && told.eventAt < time
}
