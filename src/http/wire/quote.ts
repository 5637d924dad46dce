import Type, { type Static } from 'typebox'
import { customerStatuses } from '../../domain/customers/customer.ts'
import { type BroadbandProduct, maxBroadbandProducts, type Package } from '../../domain/packages/package.ts'
import { serviceNames } from '../../domain/packages/services.ts'
import {
  leadTenantId,
  maxTenants,
  priceUpdateReasons,
  type Quote,
  quoteStatus,
  quoteStatuses,
} from '../../domain/quotes/quote.ts'
import type { QuoteSummary } from '../../domain/quotes/quotes.store.ts'
import { DateOnly, Id, Pence, ServiceName, Text, Timestamp, timestamp } from './values.ts'

export const QuoteStatusName = Type.Enum([...quoteStatuses], { type: 'string' })

export const QuoteAddress = Type.Object(
  { addressUid: Id(), addressLine1: Text(500), city: Text(500), postCode: Text(200) },
  { additionalProperties: false },
)

export const AvailablePackage = Type.Object(
  {
    packageId: Id(),
    name: Text(100),
    description: Text(500),
    type: ServiceName,
    isDefault: Type.Boolean(),
  },
  { additionalProperties: false },
)

const packageFields = { packageId: Id(), name: Text(100), type: ServiceName }
export const OfferedPackage = Type.Object(
  { ...packageFields, status: Type.Enum(['available', 'selected']) },
  { additionalProperties: false },
)
const SelectedPackage = Type.Object(
  { ...packageFields, status: Type.Enum(['selected']) },
  { additionalProperties: false },
)

const Tenant = Type.Object(
  {
    tenantId: Id("The tenant's id. It is also the customerId."),
    name: Text(201),
    email: Text(254),
    status: Type.Enum([...customerStatuses]),
    isLead: Type.Boolean(),
  },
  { additionalProperties: false },
)

const QuoteProduct = Type.Object(
  { productId: Id(), name: Text(200), status: Type.Enum(['added']) },
  { additionalProperties: false },
)

/** The lists of a quote. */
export const Tenants = Type.Array(Tenant, { maxItems: maxTenants })
export const SelectedPackages = Type.Array(SelectedPackage, {
  maxItems: serviceNames().length,
  description: 'The selected packages, at most one of each type.',
})
export const QuoteProducts = Type.Array(QuoteProduct, { maxItems: maxBroadbandProducts })

/** The fields that every response about a quote has, in addition to the operation's specific fields. */
export const quoteFields = {
  quoteId: Id(),
  status: QuoteStatusName,
  expiresAt: Timestamp,
  createdAt: Timestamp,
  quotingToolVersionId: Id(),
  contractStartDate: DateOnly,
  contractEndDate: DateOnly,
  leadTenantId: Type.Union([Id(), Type.Null()]),
  reference: Type.Union([Text(100), Type.Null()]),
}

export const PriceUpdate = Type.Object(
  {
    at: Timestamp,
    reason: Type.Enum([...priceUpdateReasons]),
    oldMonthlyCost: Pence,
    newMonthlyCost: Pence,
  },
  { additionalProperties: false },
)

const QuoteFieldsObject = Type.Object(quoteFields)

export function presentQuoteFields(quote: Quote): Static<typeof QuoteFieldsObject> {
  return presentFields(quote, leadTenantId(quote))
}

export function presentQuoteSummary(
  summary: QuoteSummary,
): Static<typeof QuoteFieldsObject> & { address: Static<typeof QuoteAddress> } {
  return { ...presentFields(summary, summary.leadTenantId), address: presentQuoteAddress(summary.address) }
}

function presentFields(
  quote: Omit<QuoteSummary, 'address' | 'leadTenantId'>,
  lead: string | null,
): Static<typeof QuoteFieldsObject> {
  return {
    quoteId: quote.quoteId,
    status: quoteStatus(quote),
    expiresAt: timestamp(quote.expiresAt),
    createdAt: timestamp(quote.createdAt),
    quotingToolVersionId: quote.quotingToolVersionId,
    contractStartDate: quote.contractStartDate,
    contractEndDate: quote.contractEndDate,
    leadTenantId: lead,
    reference: quote.reference,
  }
}

export function presentQuoteAddress(address: Quote['address']): Static<typeof QuoteAddress> {
  const { addressUid, addressLine1, city, postCode } = address
  return { addressUid, addressLine1, city, postCode }
}

export function presentTenants(quote: Quote): Static<typeof Tenant>[] {
  const lead = leadTenantId(quote)
  return quote.tenants.map(({ tenantId, name, email, status }) => ({
    tenantId,
    name,
    email,
    status,
    isLead: tenantId === lead,
  }))
}

export function presentOffered(quote: Quote, offered: readonly Package[]): Static<typeof OfferedPackage>[] {
  return offered.map(({ packageId, name, type }) => ({
    packageId,
    name,
    type,
    status: quote.selectedPackageIds.includes(packageId) ? ('selected' as const) : ('available' as const),
  }))
}

export function presentSelected(quote: Quote, offered: readonly Package[]): Static<typeof SelectedPackage>[] {
  return offered
    .filter((each) => quote.selectedPackageIds.includes(each.packageId))
    .map(({ packageId, name, type }) => ({ packageId, name, type, status: 'selected' as const }))
}

export function presentProducts(products: readonly BroadbandProduct[]): Static<typeof QuoteProduct>[] {
  return products.map(({ productId, name }) => ({ productId, name, status: 'added' as const }))
}
