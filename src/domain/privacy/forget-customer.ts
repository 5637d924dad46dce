import type { Tx } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { deleteAnswersAbout } from '../idempotency/idempotency.store.ts'
import type { Quote } from '../quotes/quote.ts'
import { type Erasure, updateErased, updatePersonsRemoved } from './erasure.store.ts'
import { retainedUntil } from './retention.ts'

/**
 * Removes persons of a quote: from their rows, from the stored answers about them and, where nobody is left who is known or
 * has a contract, from the quote itself. The quote keeps its sums and how many share them. The caller holds its lock.
 */
export async function forgetCustomers(
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
    await updateErased(tx, cipher, erasure)
    erasures.push(erasure)
  }
  // Answers about a quote list all of its tenants.
  await deleteAnswersAbout(tx, partnerId, [quoteId, ...quote.tenants.map((tenant) => tenant.tenantId)])
  const gone = new Set([...customerIds, ...alreadyErased])
  if (quote.tenants.every((tenant) => gone.has(tenant.tenantId))) await updatePersonsRemoved(tx, quote, now)
  return erasures
}
