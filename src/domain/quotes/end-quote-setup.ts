import { type Database, inTransaction } from '../../db/database.ts'
import type { Caller } from '../kernel/caller.ts'
import { DomainError } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { listOpenSetupIntents } from '../payments/setup-intents.store.ts'
import { cancelOpenIntents, recordEndedIntents } from './end-setup-intents.ts'
import { loadLockedQuote, loadQuote } from './load-quote.ts'
import type { Quote } from './quote.ts'
import { afterOperation, requireOperation } from './quote-operations.ts'
import { saveQuote } from './save-quote.ts'

/**
 * What cancel and reopen share: card collection that is under way ends, then the quote moves on. Cards that are attached stay
 * with the processor; nothing is ever charged by us.
 */
export async function endQuoteSetup(
  { db, cipher, paymentProcessor }: { db: Database; cipher: FieldCipher; paymentProcessor: PaymentProcessor },
  caller: Caller,
  quoteId: string,
  operation: 'cancel' | 'reopen',
): Promise<Quote> {
  const seen = await loadQuote(db, cipher, caller, quoteId)
  requireOperation(seen, operation, caller.now)
  const ended = await cancelOpenIntents(paymentProcessor, await listOpenSetupIntents(db, caller.partnerId, quoteId))
  return inTransaction(db, caller, async (tx) => {
    const before = await loadLockedQuote(tx, cipher, caller, quoteId)
    requireOperation(before, operation, caller.now)
    const { quote, missed } = await recordEndedIntents(tx, before, ended, caller.now)
    if (missed.length > 0) {
      throw new DomainError(
        'service_unavailable',
        'A tenant began to set up payment at the same moment. Nothing was changed; send the request again.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    return saveQuote(tx, caller, before, { ...quote, ...afterOperation(quote, operation) })
  })
}
