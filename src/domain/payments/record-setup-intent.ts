import type { Tx } from '../../db/database.ts'
import type { Quote } from '../quotes/quote.ts'
import { movePayment } from './move-payment.ts'
import type { SetupIntent } from './payment-processor.ts'
import { listSetupIntents, updateSetupIntent } from './setup-intents.store.ts'
import { isCollecting, paymentStatusOf } from './setup-outcome.ts'

/**
 * Takes in what the processor says of an intent, whether asked or by notice. Repeated and late news change nothing: an event
 * older than the last one is passed over (`eventAt`; null for an answer to our own question, which is the present), and a
 * succeeded or cancelled intent stays so. Two events of one second, the processor's finest, say nothing of their order: the one
 * that comes last is taken, and the processor is asked at the next opportunity. The caller holds the quote's lock.
 */
export async function recordSetupIntent(
  tx: Tx,
  quote: Quote,
  news: { customerId: string; intent: Omit<SetupIntent, 'clientSecret'>; eventAt: Date | null; now: Date },
): Promise<Quote> {
  const { customerId, intent, eventAt, now } = news
  const stored = (await listSetupIntents(tx, quote.partnerId, customerId)).find(
    (each) => each.setupIntentId === intent.setupIntentId,
  )
  if (stored === undefined || stored.status === 'canceled') return quote
  if (eventAt !== null && stored.lastEventAt !== null && eventAt < stored.lastEventAt) return quote
  if (stored.status === 'succeeded' && intent.status !== 'canceled') return settle(tx, quote, customerId, now)
  await updateSetupIntent(tx, {
    partnerId: quote.partnerId,
    setupIntentId: intent.setupIntentId,
    status: intent.status,
    eventAt,
    now,
    askAtOnce:
      eventAt?.getTime() === stored.lastEventAt?.getTime() && eventAt !== null && intent.status !== stored.status,
  })
  return moveUnlessCollecting(tx, quote, customerId, paymentStatusOf(intent), now)
}

/** A succeeded intent means a card is attached, whatever older news still arrives. */
function settle(tx: Tx, quote: Quote, customerId: string, now: Date): Promise<Quote> {
  return moveUnlessCollecting(tx, quote, customerId, 'ready', now)
}

async function moveUnlessCollecting(
  tx: Tx,
  quote: Quote,
  customerId: string,
  to: Parameters<typeof movePayment>[3],
  now: Date,
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === customerId)
  if (tenant === undefined || isCollecting(tenant.paymentStatus)) return quote
  return movePayment(tx, quote, customerId, to, now)
}
