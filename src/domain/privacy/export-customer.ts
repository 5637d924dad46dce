import type { Database } from '../../db/database.ts'
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
import { loadScheduledPayments, type ScheduledPayment } from '../payments/ledger/scheduled-payments.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import { findCardInUse, listSetupIntents, type StoredSetupIntent } from '../payments/setup-intents.store.ts'
import type { TenantShare } from '../pricing/price.ts'
import { shareOf } from '../pricing/share-of.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import {
  type CustomerEvent,
  type CustomerRecord,
  findCustomerRecord,
  listCustomerEvents,
} from './customer-records.store.ts'

/** The maximum number of events in an export, and the maximum number of audit log entries. */
export const maxExportedEntries = 1_000

export interface ExportedDocument {
  format: DocumentFormat
  sha256: string
  bytes: Buffer
}

/** All data stored about a person. */
export interface CustomerExport {
  exportedAt: Date
  customer: Customer
  psr: PsrDetails | null
  quote: Quote
  record: CustomerRecord
  /** The customer's share of the price; null until the quote is priced. */
  share: TenantShare | null
  payments: ScheduledPayment[] | null
  setupIntents: StoredSetupIntent[]
  card: CardDetails | null
  documents: ExportedDocument[]
  events: CustomerEvent[]
  /** The audit log entries that say who read or changed the data: the latest 1,000, excluding those that this export wrote. */
  auditLog: AuditEntry[]
}

/**
 * GET /Customers/{id}/export (not in the specification) and `housebill customers export`: all data stored about a customer, as UK
 * GDPR articles 15 and 20 require. The audit log records the export and any read of Priority Services Register details.
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
  const auditLog = await listAuditEntries(db, partnerId, { customerId, limit: maxExportedEntries })
  const subject = { subjectType: 'customer', subjectId: customerId, quoteId, customerId }
  await insertAuditEntry(db, partnerId, { ...subject, action: 'exported', fields: [] })
  const [psr, record, setupIntents, card, events, documents] = await Promise.all([
    findPsr(db, cipher, partnerId, customerId),
    findCustomerRecord(db, cipher, partnerId, customerId),
    listSetupIntents(db, partnerId, customerId),
    findCardInUse(db, cipher, partnerId, customerId),
    listCustomerEvents(db, partnerId, { customerId, quoteId, limit: maxExportedEntries }),
    Promise.all(documentFormats.map((format) => findDocument(db, cipher, { partnerId, customerId, format }))),
  ])
  if (record === undefined) throw notFound('customer')
  const { price } = quote
  const { now } = caller
  return {
    exportedAt: caller.now,
    customer,
    psr,
    quote,
    record,
    share: price === null ? null : shareOf(price, customerId),
    payments: price === null ? null : await loadScheduledPayments(db, { quote, price, customer, now, bankHolidays }),
    setupIntents,
    card,
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
