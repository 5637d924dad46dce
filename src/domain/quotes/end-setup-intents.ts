import type { Tx } from '../../db/database.ts'
import type { PaymentProcessor, SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/record-setup-intent.ts'
import type { StoredSetupIntent } from '../payments/setup-intents.store.ts'
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

/** Whether each of these has succeeded or was ended at the processor: none was made, and none is being worked on, meanwhile. */
export function haveAllEnded(open: readonly StoredSetupIntent[], ended: readonly EndedIntent[]): boolean {
  const over = new Set(
    ended
      .filter(({ intent }) => intent.status === 'canceled' || intent.status === 'succeeded')
      .map(({ stored }) => stored.setupIntentId),
  )
  return open.every(({ setupIntentId, status }) => status === 'succeeded' || over.has(setupIntentId))
}

/** Records how they ended, under the quote's lock. */
export async function recordEndedIntents(
  tx: Tx,
  quote: Quote,
  ended: readonly EndedIntent[],
  now: Date,
): Promise<Quote> {
  let current = quote
  for (const { stored, intent } of ended) {
    current = await recordSetupIntent(tx, current, { customerId: stored.customerId, intent, told: { by: 'step' }, now })
  }
  return current
}
