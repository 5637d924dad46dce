import type { Tx } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { deleteResponsesAbout } from '../idempotency/idempotency.store.ts'
import type { Quote } from '../quotes/quote.ts'
import { clearQuoteReference, type Erasure, erasePersonalColumns } from './erasure.store.ts'
import { retainedUntil } from './retention.ts'

/**
 * Erases people on a quote: the personal data in their rows, the stored responses about them and, if nobody is left, the quote's
 * reference. The quote keeps its totals and number of shares. The caller holds the quote's lock.
 */
export async function removePersonalData(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  { customerIds, alreadyErased, now }: { customerIds: readonly string[]; alreadyErased: readonly string[]; now: Date },
): Promise<Erasure[]> {
  const { partnerId, quoteId } = quote
  const erasures: Erasure[] = []
  for (const { tenantId, status } of quote.tenants.filter((tenant) => customerIds.includes(tenant.tenantId))) {
    const until = retainedUntil({ status, contractEndDate: quote.contractEndDate })
    const erasure = { partnerId, customerId: tenantId, erasedAt: now, retainedUntil: until }
    await erasePersonalColumns(tx, cipher, erasure)
    erasures.push(erasure)
  }
  // A response about a quote lists all of its tenants.
  await deleteResponsesAbout(tx, partnerId, [quoteId, ...quote.tenants.map((tenant) => tenant.tenantId)])
  const gone = new Set([...customerIds, ...alreadyErased])
  if (quote.tenants.every((tenant) => gone.has(tenant.tenantId))) await clearQuoteReference(tx, quote, now)
  return erasures
}
