import { type Contract, contractsAsOf } from '../contracts/contract.ts'
import { findContractDocument } from '../contracts/contract-documents.store.ts'
import { type AcceptanceEvidence, findEvidence, listContracts } from '../contracts/contracts.store.ts'
import { type DocumentFormat, documentFormats } from '../contracts/document-renderer.ts'
import { loadQuoteOfCustomer } from '../contracts/load-quote-of-customer.ts'
import { type ListedTenantMail, listTenantMails } from '../contracts/mails/tenant-mails.store.ts'
import type { MeterReading } from '../contracts/meter-readings/meter-reading.ts'
import { listReadingsOfCustomer } from '../contracts/meter-readings/readings-of-customer.ts'
import { listPreviews, type PreviewRecord } from '../contracts/preview/previewed-terms.store.ts'
import { loadScheduledPayments, type ScheduledPayment } from '../contracts/preview/scheduled-payments.ts'
import type { Caller } from '../partners/caller.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import {
  findCardInUse,
  listSetupIntents,
  type StoredSetupIntent,
} from '../payments/setup-intents/setup-intents.store.ts'
import type { AuditEntry } from '../platform/audit/audit-entry.ts'
import { insertAuditEntry, listAuditEntries } from '../platform/audit/audit-log.store.ts'
import type { Database } from '../platform/db/database.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { TenantShare } from '../quoting/pricing/price.ts'
import { loadQuote } from '../quoting/quotes/load-quote.ts'
import { findOccupiers } from '../quoting/quotes/occupiers.store.ts'
import type { NextOccupier } from '../quoting/quotes/occupiers.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'
import { findPsr, findPsrGivenAt } from '../quoting/tenants/psr.store.ts'
import type { PsrDetails } from '../quoting/tenants/psr.ts'
import { withoutPsr } from '../quoting/tenants/without-psr.ts'
import { listCustomerEvents } from '../webhooks/event-log/event-log.store.ts'
import { type CustomerEvent, type CustomerRecord, findCustomerRecord } from './customer-records.store.ts'

/** The maximum number of events in an export, of e-mails and of audit log entries. */
export const maxExportedEntries = 1_000

interface ExportedDocument {
  contractNumber: string
  format: DocumentFormat
  sha256: string
  bytes: Buffer
}

/** A contract with the evidence of its acceptance. */
export interface ExportedContract extends Contract {
  evidence: AcceptanceEvidence | null
}

/** All data stored about a person. */
export interface CustomerExport {
  exportedAt: Date
  customer: Customer
  /** Null if there are none; undefined if the caller may not read them. */
  psr: PsrDetails | null | undefined
  /** Null without needs; as health data it is shown with `psr` only. */
  psrGivenAt: Date | null
  quote: Quote
  record: CustomerRecord
  /** Every contract that the customer ever agreed to, the latest first. */
  contracts: ExportedContract[]
  /** The customer's share of the price; null until the quote is priced. */
  share: TenantShare | null
  /** What the customer was shown before accepting, the latest first. */
  shown: PreviewRecord[]
  payments: readonly ScheduledPayment[] | null
  /** The readings of the home from when the customer moved in to a week after their contract. */
  meterReadings: MeterReading[]
  /** Null unless this customer said it. */
  nextOccupier: NextOccupier | null
  setupIntents: StoredSetupIntent[]
  card: CardDetails | null
  documents: ExportedDocument[]
  events: CustomerEvent[]
  /** The e-mails to the customer, the latest first, without their words. */
  emails: ListedTenantMail[]
  /**
   * The audit log entries that say who read or changed the data: the latest 1,000, excluding those that this export
   * wrote. Without PSR details, nothing in them says that there are any.
   */
  auditLog: AuditEntry[]
}

/**
 * GET /Customers/{id}/export (not in the specification) and `housebill customers export`: all data stored about a
 * customer, as UK GDPR articles 15 and 20 require. The audit log records the export and any read of Priority Services
 * Register details. Without
 * `withPsr`, these details are not read.
 */
export async function exportCustomer(
  { db, cipher, bankHolidays }: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  { customerId, withPsr }: { customerId: Id<'tenant'>; withPsr: boolean },
): Promise<CustomerExport> {
  const { partnerId } = caller
  const customer = await loadCustomer(db, cipher, caller, customerId)
  const quote = await loadQuote(db, cipher, caller, customer.quoteId)
  const ownQuote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  const { quoteId } = quote
  const auditLog = await listAuditEntries(db, partnerId, { customerId, limit: maxExportedEntries })
  const subject = { subjectType: 'customer', subjectId: customerId, quoteId, customerId }
  await insertAuditEntry(db, partnerId, { ...subject, action: 'exported', fields: [] })
  const [psr, psrGivenAt, record, setupIntents, card, events, emails, contracts, shown, occupiers] = await Promise.all([
    withPsr ? findPsr(db, cipher, partnerId, customerId) : undefined,
    withPsr ? findPsrGivenAt(db, partnerId, customerId) : null,
    findCustomerRecord(db, partnerId, customerId),
    listSetupIntents(db, partnerId, customerId),
    findCardInUse(db, cipher, partnerId, customerId),
    listCustomerEvents(db, partnerId, { customerId, quoteId, limit: maxExportedEntries }),
    listTenantMails(db, partnerId, customerId, maxExportedEntries),
    listContracts(db, partnerId, customerId),
    listPreviews(db, cipher, { partnerId, customerId }),
    findOccupiers(db, cipher, quote),
  ])
  if (record === undefined) throw notFound('customer')
  const { price } = ownQuote
  const share = price?.shares.find(({ tenantId }) => tenantId === customerId) ?? null
  const { now } = caller
  return {
    exportedAt: caller.now,
    customer,
    psr,
    psrGivenAt,
    quote,
    record,
    contracts: await Promise.all(
      contractsAsOf(contracts, quote).map(async (each) => ({
        ...each,
        evidence: await findEvidence(db, cipher, each),
      })),
    ),
    share,
    shown,
    payments:
      price === null || share === null
        ? null
        : (await loadScheduledPayments(db, { quote: ownQuote, price, customer, now, bankHolidays, cipher })).payments,
    meterReadings: await listReadingsOfCustomer(db, ownQuote, customerId),
    nextOccupier: occupiers?.nextOccupier?.givenBy === customerId ? occupiers.nextOccupier : null,
    setupIntents,
    card,
    documents: (await Promise.all(contracts.map((each) => findDocuments(db, cipher, each)))).flat(),
    events: events.map((each) => ({
      ...each,
      data: { ...each.data, reference: quote.reference, branch: quote.branch, soldBy: quote.soldBy },
    })),
    emails,
    auditLog: withoutHolds(withPsr ? auditLog : withoutPsr(auditLog)),
  }
}

/** Without what says that a death was reported, which is for the operator to tell: `housebill audit list` has it. */
function withoutHolds(entries: readonly AuditEntry[]): AuditEntry[] {
  const ofDeaths = ['reportDeath', 'listDeathReports', 'decideDeath']
  return entries.filter(
    ({ subjectType, operation }) => subjectType !== 'collecting hold' && !ofDeaths.includes(operation ?? ''),
  )
}

async function findDocuments(db: Database, cipher: FieldCipher, contract: Contract): Promise<ExportedDocument[]> {
  const { contractNumber } = contract
  const found = await Promise.all(
    documentFormats.map(async (format) => ({
      format,
      document: await findContractDocument(db, cipher, { ...contract, format }),
    })),
  )
  return found.flatMap(({ format, document }) =>
    document === undefined ? [] : [{ contractNumber, format, ...document }],
  )
}
