import { type Database, inTransaction } from '../../db/database.ts'
import type { Caller } from '../kernel/caller.ts'
import { DomainError, notFound } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import type { SandboxCardConfirmation, SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/record-setup-intent.ts'
import { findSetupIntent } from '../payments/setup-intents.store.ts'
import { loadLockedQuote } from '../quotes/load-quote.ts'

/**
 * POST /Sandbox/setup-intents/{setupIntentId}/confirm: confirms the intent as the tenant's browser would. Its outcome is taken
 * in at once, as if the processor's notice had arrived; the notice then changes nothing more.
 */
export async function confirmSetupIntent(
  {
    db,
    cipher,
    cardConfirmation,
  }: { db: Database; cipher: FieldCipher; cardConfirmation: SandboxCardConfirmation | undefined },
  caller: Caller,
  input: { setupIntentId: string; paymentMethod: string },
): Promise<SetupIntent> {
  const stored = await findSetupIntent(db, caller.partnerId, input.setupIntentId)
  if (stored === undefined) throw notFound('setup intent')
  if (cardConfirmation === undefined) {
    throw new DomainError(
      'service_unavailable',
      'This sandbox uses the real processor: confirm the intent with its own test tools.',
      { retryAfterSeconds: 3_600 },
    )
  }
  const intent = await cardConfirmation.confirmSetupIntent(input.setupIntentId, input.paymentMethod)
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadLockedQuote(tx, cipher, caller, stored.quoteId)
    await recordSetupIntent(tx, quote, { customerId: stored.customerId, intent, eventAt: null, now: caller.now })
    return intent
  })
}
