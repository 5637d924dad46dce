import { deleteQueries } from '../back-office/commission/commission-entries.store.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { deleteDeathReports } from '../contracts/deaths/deaths.store.ts'
import { addressReceipts } from '../contracts/mails/tenant-mails.store.ts'
import { type RecordedChange, recordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import { deletePreviews, deleteTenantMails } from '../contracts/removed-contracts.store.ts'
import { deleteEndRequest } from '../contracts/termination/end-requests.store.ts'
import { forgetImportRowsOf } from '../onboarding/imports/imports.store.ts'
import { lockToDeleteAtProcessor } from '../payments/processor-customers.store.ts'
import { deletePayments, deleteSetupIntents, erasePaymentFailures } from '../payments/removed-payments.store.ts'
import type { Tx } from '../platform/db/database.ts'
import { deleteResponsesAbout } from '../platform/idempotency/idempotency.store.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { clearPartnersText } from '../quoting/quotes/quotes.store.ts'
import { findCustomer } from '../quoting/tenants/customers.store.ts'
import { type Erasure, erasePersonalColumns } from '../quoting/tenants/removed-customers.store.ts'
import { hasPersons } from './erasure.store.ts'
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
      erase(tx, recorded, cipher, erasure),
    )
    if (isFirst) first.push(erasure)
    erasures.push(erasure)
  }
  // A response about a quote lists all of its tenants.
  await deleteResponsesAbout(tx, partnerId, [quoteId, ...customerIds, ...quote.tenants.map(({ tenantId }) => tenantId)])
  await forgetImportRowsOf(tx, partnerId, quoteId)
  if (!(await hasPersons(tx, quote))) await clearPartnersText(tx, quote, now)
  await erasureLedger.append(first.map(({ customerId, erasedAt }) => ({ customerId, partnerId, erasedAt, reason })))
  return erasures
}

/**
 * Erases what is stored about a customer but for the records that are kept, and queues the deletion at the processor.
 * Returns whether this is the customer's first erasure.
 */
async function erase(tx: Tx, recorded: RecordedChange, cipher: FieldCipher, erasure: Erasure): Promise<boolean> {
  const { partnerId, customerId, retainedUntil: keptUntil } = erasure
  await lockToDeleteAtProcessor(tx, partnerId, [customerId])
  const customer = await findCustomer(tx, cipher, { partnerId, now: erasure.erasedAt }, customerId)
  if (customer?.erasedAt === null) {
    const { email, firstName } = customer.personal
    await addressReceipts(tx, cipher, { partnerId, customerId }, { to: email, name: firstName })
  }
  const isFirst = await erasePersonalColumns(tx, recorded, cipher, erasure)
  await deleteDeathReports(tx, partnerId, customerId)
  await deleteEndRequest(tx, { partnerId, customerId })
  await deleteQueries(tx, partnerId, customerId)
  await deletePreviews(tx, partnerId, [customerId])
  await deleteSetupIntents(tx, partnerId, [customerId])
  if (keptUntil === null) await deletePaymentsAndMails(tx, partnerId, customerId)
  else await erasePaymentFailures(tx, partnerId, customerId)
  return isFirst
}

/** Deletes the records of a customer's payments, and the e-mails to them. */
export async function deletePaymentsAndMails(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<void> {
  await deletePayments(tx, partnerId, [customerId])
  await deleteTenantMails(tx, partnerId, [customerId])
}
