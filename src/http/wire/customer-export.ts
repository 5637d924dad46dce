import Type, { type Static } from 'typebox'
import { auditActions, auditActors } from '../../domain/audit/audit-entry.ts'
import { documentFormats } from '../../domain/contracts/document-format.ts'
import { customerStatuses, paymentStatuses } from '../../domain/customers/customer.ts'
import { setupIntentStatuses } from '../../domain/payments/payment-processor.ts'
import { type CustomerExport, maxExportedEntries } from '../../domain/privacy/export-customer.ts'
import { quoteStatus } from '../../domain/quotes/quote.ts'
import { costFields, presentCost } from './cost.ts'
import { Payment } from './payment.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.ts'
import { PsrDetails } from './psr.ts'
import { presentQuoteAddress, QuoteAddress, QuoteStatusName } from './quote.ts'
import { DateOnly, Id, Pence, Text, Timestamp, timestamp } from './values.ts'

const exported = maxExportedEntries.toLocaleString('en-GB')

const closed = { additionalProperties: false } as const
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const sha256 = Text(64, 'The SHA-256 hash of the document, in hexadecimal.')

const Terms = Type.Object(
  {
    acceptedAt: Timestamp,
    termsVersion: Text(100),
    htmlSha256: sha256,
    pdfSha256: sha256,
    totalCost: Pence,
    monthlyCost: Pence,
    tenantIp: orNull(Text(64)),
    tenantUserAgent: orNull(Text(1_000)),
  },
  closed,
)

const AuditEntry = Type.Object(
  {
    at: Timestamp,
    actor: Type.Enum([...auditActors]),
    credential: orNull(Text(255)),
    requestId: orNull(Text(255)),
    operation: orNull(Text(255)),
    action: Type.Enum([...auditActions]),
    subjectType: Text(100),
    subjectId: Text(255),
    fields: Type.Array(Text(100), { maxItems: 100, description: 'The names of the fields, without their values.' }),
  },
  closed,
)

/** All data held about a customer. */
export const CustomerExportReply = Type.Object(
  {
    customerId: Id(),
    exportedAt: Timestamp,
    status: Type.Enum([...customerStatuses]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    erasedAt: orNull(Timestamp),
    retainedUntil: orNull(DateOnly),
    personalDetails: Type.Object(outputPersonalFields, closed),
    personalInformationAt: orNull(Timestamp),
    psrDetails: orNull(PsrDetails),
    supplyDuringCancellation: Type.Boolean(),
    quote: Type.Object(
      {
        quoteId: Id(),
        status: QuoteStatusName,
        reference: orNull(Text(100)),
        address: QuoteAddress,
        contractStartDate: DateOnly,
        contractEndDate: DateOnly,
        quotingToolVersionId: Id(),
      },
      closed,
    ),
    cost: orNull(Type.Object(costFields, { ...closed, description: "The customer's share of the cost." })),
    payments: orNull(Type.Array(Payment, { maxItems: 100 })),
    paymentStatus: Type.Enum([...paymentStatuses]),
    processorCustomerId: orNull(Text(255)),
    setupIntents: Type.Array(
      Type.Object({ setupIntentId: Id(), status: Type.Enum([...setupIntentStatuses]) }, closed),
      { maxItems: 1_000 },
    ),
    terms: orNull(Terms),
    documents: Type.Array(
      Type.Object(
        {
          format: Type.Enum([...documentFormats]),
          sha256,
          base64: Type.String({ maxLength: 20_000_000, description: 'The whole document, in Base64.' }),
        },
        closed,
      ),
      { maxItems: 2 },
    ),
    events: Type.Array(
      Type.Object(
        {
          id: Id(),
          type: Text(100),
          timestamp: Timestamp,
          data: Type.Object({}, { additionalProperties: true, description: "The event's data as it was delivered." }),
        },
        closed,
      ),
      { maxItems: maxExportedEntries, description: `The latest ${exported} events about the customer.` },
    ),
    auditLog: Type.Array(AuditEntry, {
      maxItems: maxExportedEntries,
      description: `Who read and changed the data before this export: the latest ${exported} entries.`,
    }),
  },
  closed,
)

export function presentCustomerExport(held: CustomerExport): Static<typeof CustomerExportReply> {
  const { customer, quote, record } = held
  return {
    customerId: customer.customerId,
    exportedAt: timestamp(held.exportedAt),
    status: customer.status,
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    erasedAt: customer.erasedAt === null ? null : timestamp(customer.erasedAt),
    retainedUntil: record.retainedUntil,
    personalDetails: presentPersonalDetails(customer.personal),
    personalInformationAt: record.personalInformationAt === null ? null : timestamp(record.personalInformationAt),
    psrDetails: held.psr === null ? null : { ...held.psr },
    supplyDuringCancellation: customer.supplyDuringCancellation,
    quote: {
      quoteId: quote.quoteId,
      status: quoteStatus(quote),
      reference: quote.reference,
      address: presentQuoteAddress(quote.address),
      contractStartDate: quote.contractStartDate,
      contractEndDate: quote.contractEndDate,
      quotingToolVersionId: quote.quotingToolVersionId,
    },
    cost: held.share === null ? null : presentCost(held.share),
    payments: held.payments,
    paymentStatus: customer.paymentStatus,
    processorCustomerId: record.processorCustomerId,
    setupIntents: held.setupIntents.map(({ setupIntentId, status }) => ({ setupIntentId, status })),
    terms: presentTerms(held),
    documents: held.documents.map(({ format, sha256, bytes }) => ({
      format,
      sha256,
      base64: bytes.toString('base64'),
    })),
    events: held.events.map(({ eventId, type, occurredAt, data }) => ({
      id: eventId,
      type,
      timestamp: timestamp(occurredAt),
      data,
    })),
    auditLog: held.auditLog.map(({ at, quoteId, customerId, ...entry }) => ({ at: timestamp(at), ...entry })),
  }
}

function presentTerms({ customer, record }: CustomerExport): Static<typeof Terms> | null {
  if (customer.termsAcceptedAt === null || record.acceptance === null) return null
  return {
    acceptedAt: timestamp(customer.termsAcceptedAt),
    ...record.acceptance,
    tenantIp: record.evidence?.tenantIp ?? null,
    tenantUserAgent: record.evidence?.tenantUserAgent ?? null,
  }
}
