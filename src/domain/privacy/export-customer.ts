import type { Database } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import { notFound } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import { insertAuditEntry, listAuditEntries } from '../audit/audit-log.store.ts'
import type { Caller } from '../auth/caller.ts'
import { findContractDocument } from '../contracts/contracts.store.ts'
import { type DocumentFormat, documentFormats } from '../contracts/document-format.ts'
import type { Customer } from '../customers/customer.ts'
import { findPsr } from '../customers/customers.store.ts'
import { loadCustomer } from '../customers/load-customer.ts'
import type { PsrDetails } from '../customers/psr.ts'
import type { PlannedPayment } from '../payments/plan/payment-plan.ts'
import { planForCustomer } from '../payments/plan/plan-for-customer.ts'
import { listSetupIntents, type StoredSetupIntent } from '../payments/setup-intents.store.ts'
import type { TenantShare } from '../pricing/price.ts'
import { shareOf } from '../pricing/share-of.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { findHeldRecord, type HeldEvent, type HeldRecord, listHeldEvents } from './held-records.store.ts'

/** Events, and entries of the audit log, in one export. */
export const mostExported = 1_000

export interface ExportedDocument {
  format: DocumentFormat
  sha256: string
  bytes: Buffer
}

/** Everything held about a person. */
export interface CustomerExport {
  exportedAt: Date
  customer: Customer
  psr: PsrDetails | null
  quote: Quote
  record: HeldRecord
  /** Null before there is a price. */
  share: TenantShare | null
  payments: PlannedPayment[] | null
  setupIntents: StoredSetupIntent[]
  documents: ExportedDocument[]
  events: HeldEvent[]
  /** Who has read and changed it: the latest thousand entries, this export's own not among them. */
  auditLog: AuditEntry[]
}

/**
 * GET /Customers/{id}/export (additive) and `housebill customers export`: all that is held about a customer, as UK GDPR articles
 * 15 and 20 ask for. The audit log keeps who had it; where it holds register details, that they were read as well.
 */
export async function exportCustomer(
  { db, cipher, bankHolidays }: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<CustomerExport> {
  const { partnerId } = caller
  const customer = await loadCustomer(db, cipher, caller, customerId)
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  const { quoteId } = quote
  const auditLog = await listAuditEntries(db, partnerId, { customerId, limit: mostExported })
  const subject = { subjectType: 'customer', subjectId: customerId, quoteId, customerId }
  await insertAuditEntry(db, partnerId, { ...subject, action: 'exported', fields: [] })
  const [psr, record, setupIntents, events, documents] = await Promise.all([
    findPsr(db, cipher, partnerId, customerId),
    findHeldRecord(db, cipher, partnerId, customerId),
    listSetupIntents(db, partnerId, customerId),
    listHeldEvents(db, partnerId, { customerId, quoteId, limit: mostExported }),
    Promise.all(documentFormats.map((format) => findDocument(db, cipher, { partnerId, customerId, format }))),
  ])
  if (record === undefined) throw notFound('customer')
  const { price } = quote
  const calendar = { today: londonDate(caller.now), bankHolidays }
  return {
    exportedAt: caller.now,
    customer,
    psr,
    quote,
    record,
    share: price === null ? null : shareOf(price, customerId),
    payments: price === null ? null : planForCustomer(quote, price, customer, calendar),
    setupIntents,
    documents: documents.flat(),
    events,
    auditLog,
  }
}

async function findDocument(
  db: Database,
  cipher: FieldCipher,
  of: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; format: DocumentFormat },
): Promise<ExportedDocument[]> {
  const found = await findContractDocument(db, cipher, of)
  return found === undefined ? [] : [{ format: of.format, ...found }]
}
