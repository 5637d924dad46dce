import Type, { type Static } from 'typebox'
import { ContractNumber, ContractObject, presentContract } from '../contracts/contract.schema.ts'
import { documentFormats } from '../contracts/document-renderer.ts'
import { CustomerEmail, presentCustomerEmail } from '../contracts/mails/customer-email.schema.ts'
import {
  MeterReadingObject,
  maxMeterReadings,
  presentMeterReading,
} from '../contracts/meter-readings/meter-reading.schema.ts'
import { PaymentError, PaymentMethod } from '../onboarding/customer.schema.ts'
import { StoredPsrDetails } from '../onboarding/psr.schema.ts'
import { Payment, presentPayment, SetupIntentStatusName } from '../payments/payment.schema.ts'
import { paymentError } from '../payments/payment-error.ts'
import { auditActions, auditActors } from '../platform/audit/audit-entry.ts'
import { Choice, described, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Flag, Id, Pence, presentAs, Text, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { costFields, presentCost } from '../quoting/pricing/cost.schema.ts'
import { MoveInObject, NextOccupierObject } from '../quoting/quotes/occupiers.schema.ts'
import {
  CustomerStatusName,
  MetadataObject,
  PaymentStatusName,
  presentQuoteAddress,
  QuoteAddress,
  QuoteStatusName,
} from '../quoting/quotes/quote.schema.ts'
import { quoteStatus } from '../quoting/quotes/quote.ts'
import { outputPersonalFields, presentPersonalDetails } from '../quoting/tenants/personal-details.schema.ts'
import { type CustomerExport, type ExportedContract, maxExportedEntries } from './export-customer.ts'

const exported = maxExportedEntries.toLocaleString('en-GB')

const sha256 = Text(64, 'The SHA-256 hash of the document, in hexadecimal.')

const TermsAcceptance = ResponseObject('TermsAcceptance', 'What the customer accepted, and the evidence of it.', {
  contractNumber: ContractNumber,
  acceptedAt: Timestamp('When the customer accepted the terms.'),
  termsVersion: Text(100, 'The version of the terms.'),
  htmlSha256: sha256,
  pdfSha256: sha256,
  totalCost: Pence("The customer's share of the whole contract term in pence, including set-up and VAT."),
  monthlyCost: Pence("The customer's share of an average month in pence, including VAT and without set-up."),
  tenantIp: Nullable(Text(64, "The tenant's IP address; null if you did not send it.")),
  tenantUserAgent: Nullable(Text(1_000, "The tenant's browser, as it names itself; null if you did not send it.")),
  shownText: Nullable(
    Text(4_000, 'What the tenant read above and on the button with which they accepted; null if you did not send it.'),
  ),
})

const PreviewedTerms = ResponseObject('ShownTerms', 'Something the customer was shown before accepting the terms.', {
  source: Choice(['payment-schedule', 'preview-html', 'preview-pdf'], 'What showed it.'),
  documentHash: Nullable(
    Text(64, 'The hash of everything shown; null for a payment schedule, which shows only a part.'),
  ),
  shownAt: Timestamp('When it was first shown.'),
  openedAt: Nullable(Timestamp('When the preview was first opened; null if it was not, and for a payment schedule.')),
})

const AuditEntry = ResponseObject('AuditEntry', 'Who read or changed the data.', {
  at: Timestamp('When it happened.'),
  actor: Choice(auditActors, 'Who did it. `database`: somebody who was connected to the database directly.'),
  credential: Nullable(Text(255, 'The client id or the login that was used; null if there was none.')),
  requestId: Nullable(Text(255, 'The id of the request; null if it was not a request.')),
  operation: Nullable(Text(255, 'The operation, command or job; null if there was none.')),
  action: Choice(auditActions, 'What was done.'),
  subjectType: Text(100, 'The kind of data, such as `customer`.'),
  subjectId: Text(255, 'The id of the data.'),
  fields: Type.Array(Text(100, 'The name of a field.'), {
    maxItems: 100,
    description: 'The names of the fields, without their values.',
  }),
})

const ExportedQuote = ResponseObject('ExportedQuote', 'The quote the customer belongs to.', {
  quoteId: Id('The id of the quote.'),
  status: QuoteStatusName,
  reference: Nullable(Text(100, 'Your own id for the quote; null if you did not set one.')),
  branch: Nullable(Text(100, 'Your branch that sells it; null if you did not say.')),
  soldBy: Nullable(Text(80, 'Who sold it; null if you did not say.')),
  metadata: MetadataObject,
  address: QuoteAddress,
  moveIn: Nullable(MoveInObject),
  contractStartDate: DateOnly('The first day of the contract.'),
  contractEndDate: DateOnly('The last day of the contract.'),
  quotingToolVersionId: Id('The id of the quoting tool version that the quote is priced with.'),
})

const ExportedSetupIntent = ResponseObject('ExportedSetupIntent', 'A setup intent of the customer.', {
  setupIntentId: Id('The id of the setup intent.'),
  status: SetupIntentStatusName,
  paymentMethodId: Nullable(
    Text(255, 'The id of the attached card at the payment processor; null until Housebill has read the card.'),
  ),
})

const ExportedDocument = ResponseObject('ExportedDocument', 'A contract document.', {
  contractNumber: ContractNumber,
  format: Choice(documentFormats, 'The format of the document.'),
  sha256,
  base64: Type.String({ maxLength: 20_000_000, description: 'The whole document, in Base64.' }),
})

const ExportedEvent = ResponseObject('ExportedEvent', 'An event about the customer.', {
  id: Id('The id of the event.'),
  type: Text(100, 'The type of the event.'),
  timestamp: Timestamp('When the event happened.'),
  data: Type.Object({}, { additionalProperties: true, description: "The event's data as it was delivered." }),
})

const OmittedMember = ResponseObject('OmittedMember', 'A member that is left out of an export.', {
  member: Text(100, 'The name of the member.'),
  scope: Text(100, 'The scope that the token needs for it.'),
  detail: Text(500, 'What to do to get it.'),
})

const omittedPsr: Static<typeof OmittedMember> = {
  member: 'psrDetails',
  scope: 'psr:read',
  detail:
    'Priority Services Register details are left out. Export again with a token that has the scope psr:read. If the credentials lack it, ask the operator.',
}

/** All data held about a customer. */
export const CustomerExportResponse = ResponseObject('CustomerExport', 'All data held about a customer.', {
  customerId: Id('The id of the customer.'),
  exportedAt: Timestamp('When the export was made.'),
  status: CustomerStatusName,
  createdAt: Timestamp('When the customer was added to the quote.'),
  updatedAt: Timestamp('When the data last changed.'),
  erasedAt: Nullable(Timestamp('When the data was erased; null if it was not.')),
  retainedUntil: Nullable(DateOnly('When the data kept by law is deleted; null if nothing is kept.')),
  personalDetails: ResponseObject('PersonalDetails', 'The personal details of the customer.', outputPersonalFields),
  forwardingAddress: Nullable(
    Text(300, 'Where the customer wants letters after they leave; null if they did not say.'),
  ),
  nextOccupier: Nullable(
    described(NextOccupierObject, 'Who is responsible for the home next, if the customer said so; otherwise null.'),
  ),
  metadata: MetadataObject,
  contactPermission: Nullable(
    ResponseObject('GivenContactPermission', 'That the customer allowed us to write to them before a contract.', {
      givenAt: Timestamp('When the customer gave it.'),
      by: Text(200, 'Who obtained it, or how.'),
    }),
  ),
  personalInformationAt: Nullable(
    Timestamp('When personal information was last submitted; null if it was not submitted yet.'),
  ),
  psrDetails: Type.Optional(
    Nullable(
      described(
        StoredPsrDetails,
        'The Priority Services Register details (health data); null if there are none, absent without the scope `psr:read`.',
      ),
    ),
  ),
  psrGivenAt: Type.Optional(
    Nullable(
      Timestamp(
        'When the customer gave the needs in `psrDetails`; null without needs, absent without the scope `psr:read`.',
      ),
    ),
  ),
  supplyDuringCancellation: Flag('Whether the customer asked to start supply within the 14-day cancellation period.'),
  quote: ExportedQuote,
  cost: Nullable(
    ResponseObject('CostShare', "The customer's share of the cost; null while the quote has no price.", costFields),
  ),
  payments: Nullable(
    Type.Array(Payment, { maxItems: 100, description: 'The payment schedule; null until the terms are accepted.' }),
  ),
  meterReadings: Type.Array(MeterReadingObject, {
    maxItems: maxMeterReadings,
    description: 'The meter readings of the home from when the customer moved in to a week after their contract.',
  }),
  paymentStatus: PaymentStatusName,
  paymentMethod: Nullable(PaymentMethod),
  lastPaymentError: Nullable(PaymentError),
  processorCustomerId: Nullable(Text(255, 'The id of the customer at the payment processor; null if there is none.')),
  setupIntents: Type.Array(ExportedSetupIntent, { maxItems: 1_000, description: 'The setup intents of the customer.' }),
  terms: Nullable(
    described(TermsAcceptance, 'What the customer accepted last; null if nothing, or if it is no longer kept.'),
  ),
  acceptances: Type.Array(TermsAcceptance, {
    maxItems: 1_000,
    description: 'Everything the customer ever accepted, the latest first, as far as it is kept.',
  }),
  shown: Type.Array(PreviewedTerms, {
    maxItems: 1_000,
    description: 'What the customer was shown before accepting the terms, the latest first.',
  }),
  contracts: Type.Array(ContractObject, {
    maxItems: 1_000,
    description: 'Every contract of the customer, the latest first.',
  }),
  documents: Type.Array(ExportedDocument, { maxItems: 2_000, description: 'The documents of all contracts.' }),
  events: Type.Array(ExportedEvent, {
    maxItems: maxExportedEntries,
    description: `The latest ${exported} events about the customer.`,
  }),
  emails: Type.Array(CustomerEmail, {
    maxItems: maxExportedEntries,
    description: `The latest ${exported} e-mails to the customer, the latest first, without their words.`,
  }),
  auditLog: Type.Array(AuditEntry, {
    maxItems: maxExportedEntries,
    description: `Who read and changed the data before this export: the latest ${exported} entries.`,
  }),
  omitted: Type.Array(OmittedMember, {
    maxItems: 10,
    description: 'What this export leaves out because the token lacks a scope; empty if it is complete.',
  }),
})

export function presentCustomerExport(held: CustomerExport): Static<typeof CustomerExportResponse> {
  const { customer, quote, record } = held
  const acceptances = held.contracts.flatMap(presentAcceptance)
  return {
    customerId: customer.customerId,
    exportedAt: timestamp(held.exportedAt),
    status: customer.status,
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    erasedAt: customer.erasedAt === null ? null : timestamp(customer.erasedAt),
    retainedUntil: record.retainedUntil,
    personalDetails: presentPersonalDetails(customer.personal),
    forwardingAddress: customer.personal.forwardingAddress || null,
    nextOccupier: held.nextOccupier && presentAs(NextOccupierObject, held.nextOccupier),
    metadata: customer.personal.metadata,
    contactPermission: customer.personal.contactPermission,
    personalInformationAt: record.personalInformationAt === null ? null : timestamp(record.personalInformationAt),
    ...presentPsr(held),
    supplyDuringCancellation: customer.earlySupplyRequested,
    quote: presentAs(ExportedQuote, {
      ...quote,
      status: quoteStatus(quote),
      address: presentQuoteAddress(quote.address),
    }),
    cost: held.share === null ? null : presentCost(held.share),
    payments: held.payments?.map(presentPayment) ?? null,
    meterReadings: held.meterReadings.map(presentMeterReading),
    paymentStatus: customer.paymentStatus,
    paymentMethod: held.card,
    lastPaymentError: customer.lastPaymentError === null ? null : paymentError(customer.lastPaymentError),
    processorCustomerId: record.processorCustomerId,
    setupIntents: held.setupIntents.map((intent) => presentAs(ExportedSetupIntent, intent)),
    terms: acceptances[0] ?? null,
    acceptances,
    shown: held.shown.map((each) => presentAs(PreviewedTerms, { ...each, shownAt: each.firstShownAt })),
    contracts: held.contracts.map(presentContract),
    documents: held.documents.map((each) =>
      presentAs(ExportedDocument, { ...each, base64: each.bytes.toString('base64') }),
    ),
    events: held.events.map((each) =>
      presentAs(ExportedEvent, { ...each, id: each.eventId, timestamp: each.occurredAt }),
    ),
    emails: held.emails.map(presentCustomerEmail),
    auditLog: held.auditLog.map(({ at, quoteId, customerId, ...entry }) => ({ at: timestamp(at), ...entry })),
    omitted: held.psr === undefined ? [omittedPsr] : [],
  }
}

function presentPsr({ psr, psrGivenAt }: CustomerExport) {
  if (psr === undefined) return {}
  return { psrDetails: psr && { ...psr }, psrGivenAt: psrGivenAt && timestamp(psrGivenAt) }
}

/** Leaves out `shown`, which the export lists separately. */
function presentAcceptance(contract: ExportedContract): Static<typeof TermsAcceptance>[] {
  const { contractNumber, agreedAt, acceptance, evidence } = contract
  if (acceptance === null) return []
  const { tenantIp = null, tenantUserAgent = null, shownText = null } = evidence ?? {}
  const { shown: _, ...agreed } = acceptance
  return [{ contractNumber, acceptedAt: timestamp(agreedAt), ...agreed, tenantIp, tenantUserAgent, shownText }]
}
