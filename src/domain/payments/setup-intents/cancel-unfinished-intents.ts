import type { Origin } from '../../../db/access.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Databases } from '../../../db/databases.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { lockQuote } from '../../quotes/quotes.store.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { clearCancelWanted, listIntentsToCancel } from './setup-intents.store.ts'

const origin: Origin = { actor: 'worker', operation: 'cancelUnfinishedIntents' }

/**
 * Cancels setup intents at the processor that were unfinished when the lock of their quote ended. An intent that has succeeded meanwhile
 * stays, with its card. Calls the processor outside any transaction; cancelling twice is harmless. Returns how many it handled. Throws
 * `service_unavailable` if the processor is down; the rest is cancelled by a later run.
 */
export async function cancelUnfinishedIntents(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  limit: number,
): Promise<number> {
  const wanted = await listIntentsToCancel(deps.databases.system, limit)
  for (const { setupIntentId, customerId, quoteId, partnerId } of wanted) {
    const intent = await deps.paymentProcessor.cancelSetupIntent(setupIntentId)
    await inTransaction(deps.databases.forPartner(partnerId, origin), {}, async (tx) => {
      const quote = await lockQuote(tx, deps.cipher, partnerId, quoteId)
      if (quote === undefined) return
      await recordSetupIntent(tx, deps.cipher, quote, {
        customerId,
        intent,
        source: { by: 'command' },
        now: deps.clock.now(),
      })
      await clearCancelWanted(tx, partnerId, setupIntentId)
    })
  }
  return wanted.length
}
