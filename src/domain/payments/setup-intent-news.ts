import type { PaymentStatus } from '../customers/customer.ts'
import type { SetupIntent } from './payment-processor.ts'
import type { StoredSetupIntent } from './setup-intents.store.ts'
import { hasEnded, isCollecting, paymentStatusOf } from './setup-outcome.ts'

/** The processor said it by itself, at its own time, in whole seconds. */
export interface Noticed {
  by: 'notice'
  eventAt: Date
}

/** It was asked, when as much was known of the intent as this revision. */
export interface Answered {
  by: 'answer'
  revision: number
}

/** It answered a step that was just taken there, such as cancelling: so the intent stands now. */
export interface Stepped {
  by: 'step'
}

/** How the processor came to say where an intent stands. */
export type Told = Noticed | Answered | Stepped

/**
 * `nothing`: repeated, late or overtaken. `attached`: a card is, whatever this says. `news`: how it stands now. `doubtful`: it
 * may say what was true before something that is known already, and only the processor knows.
 */
export type Judgement = 'nothing' | 'attached' | 'news' | 'doubtful'

/** The processor's clock may be so far ahead of ours. Further, and late notices move a payment back until the next one, or five minutes. */
const clocksApartMs = 5_000

/**
 * What to make of what the processor says of an intent whose customer has that payment status. A cancelled intent stays so, one that
 * succeeded unless it is cancelled; no other end is ever in doubt. An answer counts only while nothing else was heard since the
 * question. A notice older than the last one is late. One of the last one's second, or that may be from before the last answer, says
 * nothing of its order, and is doubtful where it would move the payment status.
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

/** Whether nothing that is known can be younger. Our clock tells of answers, and the processor's of notices. */
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
