import type { Tx } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { deleteResponsesAbout } from '../idempotency/idempotency.store.ts'
import type { Quote } from '../quotes/quote.ts'
import { clearQuoteReference, type Erasure, erasePersonalColumns, hasPersons } from './erasure.store.ts'
import { retainedUntil } from './retention.ts'

/**
 * Erases people who are or were on a quote: the personal data in their rows, the stored responses about them and, if nobody is left, the
 * quote's reference. The quote keeps its totals and number of shares. The caller holds the quote's lock.
 */
export async function removePersonalData(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  { customerIds, now }: { customerIds: readonly Id<'tenant'>[]; now: Date },
): Promise<Erasure[]> {
  const { partnerId, quoteId } = quote
  const erasures: Erasure[] = []
  for (const customerId of customerIds) {
    const contracts = await listContracts(tx, partnerId, customerId)
    const erasure = { partnerId, customerId, erasedAt: now, retainedUntil: retainedUntil(contracts) }
    await erasePersonalColumns(tx, cipher, erasure)
    erasures.push(erasure)
  }
  // A response about a quote lists all of its tenants.
  await deleteResponsesAbout(tx, partnerId, [quoteId, ...customerIds, ...quote.tenants.map(({ tenantId }) => tenantId)])
  if (!(await hasPersons(tx, quote))) await clearQuoteReference(tx, quote, now)
  return erasures
}
