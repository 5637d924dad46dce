import { listContracts } from '../contracts/contracts.store.ts'
import { recordContractChange } from '../events/operator-feeds/record-contract-change.ts'
import type { Tx } from '../platform/db/database.ts'
import { deleteResponsesAbout } from '../platform/idempotency/idempotency.store.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { clearPartnersText, type Erasure, erasePersonalColumns, hasPersons } from './erasure.store.ts'
import type { ErasureLedger, ErasureReason } from './erasure-ledger.ts'
import { retainedUntil } from './retention.ts'

/**
 * Erases people who are or were on a quote: the personal data in their rows, the stored responses about them and, if
 * nobody is left, the quote's reference and metadata. The quote keeps its totals and number of shares. The caller holds
 * the quote's row lock, has made every check that could reject the erasure, and commits soon: the ledger names these
 * people from here on. Throws `service_unavailable` if the ledger cannot be written.
 */
export async function removePersonalData(
  tx: Tx,
  { cipher, erasureLedger }: { cipher: FieldCipher; erasureLedger: ErasureLedger },
  quote: Quote,
  { customerIds, now, reason }: { customerIds: readonly Id<'tenant'>[]; now: Date; reason: ErasureReason },
): Promise<Erasure[]> {
  const { partnerId, quoteId } = quote
  const erasures: Erasure[] = []
  const first: Erasure[] = []
  for (const customerId of customerIds) {
    const contracts = await listContracts(tx, partnerId, customerId)
    const erasure = { partnerId, customerId, erasedAt: now, retainedUntil: retainedUntil(contracts) }
    const isFirst = await recordContractChange(tx, { partnerId, customerId, change: 'erased' }, (recorded) =>
      erasePersonalColumns(tx, recorded, cipher, erasure),
    )
    if (isFirst) first.push(erasure)
    erasures.push(erasure)
  }
  // A response about a quote lists all of its tenants.
  await deleteResponsesAbout(tx, partnerId, [quoteId, ...customerIds, ...quote.tenants.map(({ tenantId }) => tenantId)])
  if (!(await hasPersons(tx, quote))) await clearPartnersText(tx, quote, now)
  await erasureLedger.append(first.map(({ customerId, erasedAt }) => ({ customerId, partnerId, erasedAt, reason })))
  return erasures
}
