import type { PaymentProcessor, SetupIntent } from '../../payments/payment-processor.ts'
import { recordSetupIntent } from '../../payments/setup-intents/record-setup-intent.ts'
import type { StoredSetupIntent } from '../../payments/setup-intents/setup-intents.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'

/** A stored setup intent, and the processor's response to its cancellation. */
export interface CancellationResult {
  stored: StoredSetupIntent
  intent: SetupIntent
}

/**
 * Cancels a quote's setup intents at the processor, except those that succeeded. Call it before the transaction that
 * records the result, because external calls are not allowed inside one. Cancelling twice is harmless, so the call can
 * be repeated after a crash.
 */
export async function cancelOpenIntents(
  processor: PaymentProcessor,
  open: readonly StoredSetupIntent[],
): Promise<CancellationResult[]> {
  return Promise.all(
    open
      .filter((stored) => stored.status !== 'succeeded')
      .map(async (stored) => ({ stored, intent: await processor.cancelSetupIntent(stored.setupIntentId) })),
  )
}

/**
 * Whether every intent that was open has now succeeded or been cancelled. False if a tenant has just created another
 * intent, or if the processor is still processing one.
 */
export function haveAllIntentsEnded(open: readonly StoredSetupIntent[], ended: readonly CancellationResult[]): boolean {
  const over = new Set(
    ended
      .filter(({ intent }) => intent.status === 'canceled' || intent.status === 'succeeded')
      .map(({ stored }) => stored.setupIntentId),
  )
  return open.every(({ setupIntentId, status }) => status === 'succeeded' || over.has(setupIntentId))
}

/** Records the processor's responses to the cancellations. The caller holds the quote's row lock. */
export async function recordCancellationResults(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  ended: readonly CancellationResult[],
  now: Date,
): Promise<Quote> {
  let current = quote
  for (const { stored, intent } of ended) {
    current = await recordSetupIntent(tx, cipher, current, {
      customerId: stored.customerId,
      intent,
      source: { by: 'command' },
      now,
    })
  }
  return current
}
