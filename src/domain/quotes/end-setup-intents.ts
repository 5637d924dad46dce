import type { Tx } from '../../db/database.ts'
import type { PaymentProcessor, SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/record-setup-intent.ts'
import { listOpenSetupIntents, type StoredSetupIntent } from '../payments/setup-intents.store.ts'
import type { Quote } from './quote.ts'

/** An intent and how the processor answered its cancelling. */
export interface EndedIntent {
  stored: StoredSetupIntent
  intent: SetupIntent
}

/**
 * Cancels every intent of a quote that has not succeeded, at the processor: before the transaction that records it, as no call
 * out ever waits inside one. Cancelling twice does no harm, so a crash in between is mended by repeating the call.
 */
export async function cancelOpenIntents(
  processor: PaymentProcessor,
  open: readonly StoredSetupIntent[],
): Promise<EndedIntent[]> {
  return Promise.all(
    open
      .filter((stored) => stored.status !== 'succeeded')
      .map(async (stored) => ({ stored, intent: await processor.cancelSetupIntent(stored.setupIntentId) })),
  )
}

/**
 * Records the cancellations under the quote's lock. An intent that was made or has succeeded meanwhile is returned as
 * `missed`: the caller then does it all again.
 */
export async function recordEndedIntents(
  tx: Tx,
  quote: Quote,
  ended: readonly EndedIntent[],
  now: Date,
): Promise<{ quote: Quote; missed: StoredSetupIntent[] }> {
  let current = quote
  for (const { stored, intent } of ended) {
    current = await recordSetupIntent(tx, current, { customerId: stored.customerId, intent, eventAt: null, now })
  }
  const stillOpen = await listOpenSetupIntents(tx, quote.partnerId, quote.quoteId)
  return { quote: current, missed: stillOpen.filter((intent) => intent.status !== 'succeeded') }
}
