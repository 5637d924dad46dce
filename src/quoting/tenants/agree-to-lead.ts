import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { LoadQuoteForUpdate } from '../quotes/load-quote.ts'
import { leadTenantId } from '../quotes/quote.ts'
import { recordAgreementToLead } from './customers.store.ts'

/**
 * A tenant agrees on their page to lead the household, after the lead tenant was erased. Changes nothing if somebody
 * else leads meanwhile.
 */
export async function agreeToLead(
  { db, cipher, loadQuoteForUpdate }: { db: Database; cipher: FieldCipher; loadQuoteForUpdate: LoadQuoteForUpdate },
  caller: Caller,
  { quoteId, customerId }: { quoteId: Id<'quote'>; customerId: Id<'tenant'> },
): Promise<void> {
  await inTransaction(db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    if (leadTenantId(quote) === null) await recordAgreementToLead(tx, caller, customerId)
  })
}
