import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { listOpenSetupIntents } from '../payments/setup-intents.store.ts'
import { cancelOpenIntents, haveAllEnded, recordEndedIntents } from './end-setup-intents.ts'
import { loadLockedQuote, loadQuote } from './load-quote.ts'
import type { Quote } from './quote.ts'
import { afterOperation, requireOperation } from './quote-operations.ts'
import { saveQuote } from './save-quote.ts'

/** How often it is tried to end what tenants begin at the same moment. */
const rounds = 3

interface Dependencies {
  db: Database
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
}

/**
 * What cancel and reopen share: card collection that is under way ends, then the quote moves on. Cards that are attached stay
 * with the processor; nothing is ever charged by us. Throws `service_unavailable` where tenants go on beginning faster than
 * their setup intents can be ended, or the processor is still at work on one.
 */
export async function endQuoteSetup(
  deps: Dependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  operation: 'cancel' | 'reopen',
): Promise<Quote> {
  for (let round = 1; round <= rounds; round += 1) {
    const ended = await tryToEnd(deps, caller, quoteId, operation)
    if (ended !== undefined) return ended
  }
  throw new DomainError(
    'service_unavailable',
    'A tenant is setting up payment right now. Nothing was changed. Send the request again.',
    { retryAfterSeconds: 1 },
  )
}

/** The quote moved on; undefined where an intent is open that the processor has not ended. Then nothing is changed. */
async function tryToEnd(
  { db, cipher, paymentProcessor }: Dependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  operation: 'cancel' | 'reopen',
): Promise<Quote | undefined> {
  const seen = await loadQuote(db, cipher, caller, quoteId)
  requireOperation(seen, operation, caller.now)
  const ended = await cancelOpenIntents(paymentProcessor, await listOpenSetupIntents(db, caller.partnerId, quoteId))
  return inTransaction(db, caller, async (tx) => {
    const before = await loadLockedQuote(tx, cipher, caller, quoteId)
    requireOperation(before, operation, caller.now)
    if (!haveAllEnded(await listOpenSetupIntents(tx, caller.partnerId, quoteId), ended)) return undefined
    const quote = await recordEndedIntents(tx, before, ended, caller.now)
    return saveQuote(tx, caller, before, { ...quote, ...afterOperation(quote, operation) })
  })
}
