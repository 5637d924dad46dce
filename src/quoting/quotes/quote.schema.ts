import Type, { type Static } from 'typebox'
import type { PresentedAt } from '../../platform/http/route.ts'
import { Choice, described, NamedChoice, Nullable, named, ResponseObject } from '../../platform/http/schemas/named.ts'
import {
  DateOnly,
  Flag,
  Id,
  Pence,
  presentAs,
  Text,
  Timestamp,
  WholeNumber,
} from '../../platform/http/schemas/values.ts'
import { MeterFactsObject } from '../../properties/meter-facts/meter-facts.schema.ts'
import { normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { type BroadbandProduct, maxBroadbandProducts, type Package } from '../packages/package.ts'
import { ServiceType } from '../packages/service-status.schema.ts'
import { serviceNames } from '../packages/services.ts'
import { pricedFields } from '../pricing/cost.schema.ts'
import { customerStatuses, fullName, nextSteps, paymentStatuses } from '../tenants/customer.ts'
import { type Metadata, metadataLimits } from './metadata.ts'
import { MoveInObject } from './occupiers.schema.ts'
import {
  leadTenantId,
  maxTenantsEver,
  priceUpdateReasons,
  primaryContact,
  type Quote,
  quoteStatus,
  quoteStatuses,
} from './quote.ts'
import type { QuoteSummary } from './quotes.store.ts'
import { TenancyObject } from './tenancy.schema.ts'
import { contractTermInWords } from './tenancy.ts'

const { keys, keyLength, valueLength } = metadataLimits

/** Who sold a quote. */
export const SoldBy = (description: string) =>
  Type.String({ minLength: 1, maxLength: 80, format: 'single-line', description })

/** A filter by postcode. */
export const GivenPostcode = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: `${description} In any letter case, with or without a space.`,
  })

/** The postcode of a filter as it is stored. Nothing is found by what is none. */
export function givenPostcode(given: string | undefined): string | undefined {
  return given === undefined ? undefined : (normalisePostcode(given) ?? given)
}

/** A filter by what is to be done next. */
export const NextStepName = (description: string) =>
  Choice(
    nextSteps,
    `${description} \`details\`: give personal details; \`card\`: add a card; \`agreement\`: agree to the contract.`,
  )

/** Your own keys and values, in requests and responses alike. */
export const MetadataObject = named(
  'Metadata',
  Type.Unsafe<Metadata>({
    type: 'object',
    maxProperties: keys,
    propertyNames: {
      type: 'string',
      maxLength: keyLength,
      pattern: '^[A-Za-z0-9_.-]+$',
      description: `A key has 1 to ${keyLength} letters, digits, underscores, dots and hyphens.`,
    },
    additionalProperties: { type: 'string', maxLength: valueLength },
    description: `Your own keys and values, which only you see: at most ${keys}. A key has 1 to ${keyLength} letters, digits, underscores, dots and hyphens; a value has at most ${valueLength} characters.`,
  }),
)

export const QuoteStatusName = NamedChoice(
  'QuoteStatus',
  quoteStatuses,
  'The status of a quote: the last step taken while it is open, then `active`, `completed` or `cancelled`.',
)

export const CustomerStatusName = NamedChoice(
  'CustomerStatus',
  customerStatuses,
  "How far a customer's onboarding is: `active`, then `PersonalInfoComplete`, then `OnboardingComplete`.",
)

export const QuoteAddress = ResponseObject('QuoteAddress', 'The address of a quote.', {
  addressUid: Id('The id of the property.'),
  addressLine1: Text(500, 'The first line: the number or name, and the street.'),
  city: Text(500, 'The post town.'),
  postCode: Text(200, 'The postcode.'),
})

const packageFields = {
  packageId: Id('The id of the package.'),
  name: Text(100, 'The name of the package.'),
  type: ServiceType,
}

export const AvailablePackage = ResponseObject('AvailablePackage', 'A package you can select for the address.', {
  packageId: packageFields.packageId,
  name: packageFields.name,
  description: Text(500, 'What the package contains, for the tenant to read.'),
  type: ServiceType,
  isDefault: Flag('Whether this is the default package of its type.'),
})

export const OfferedPackage = ResponseObject('OfferedPackage', 'A package available for the address.', {
  ...packageFields,
  status: Choice(['available', 'selected'], 'Whether the quote has selected the package.'),
})
const SelectedPackage = ResponseObject('SelectedPackage', 'A package that the quote has selected.', {
  ...packageFields,
  status: Choice(['selected'], 'Always `selected`.'),
})

const Tenant = ResponseObject('Tenant', 'A tenant of a quote.', {
  tenantId: Id("The tenant's id. It is also the customerId."),
  name: Text(201, "The tenant's full name."),
  email: Text(254, "The tenant's email address; empty while a tenant who was added without one has not given it."),
  metadata: MetadataObject,
  status: CustomerStatusName,
  isLead: Flag('Whether this is the lead tenant.'),
  replaces: Nullable(Id('The id of the tenant whose share this tenant takes or took over; null for anybody else.')),
  joinsOn: Nullable(
    DateOnly(
      'The first day of a tenant who takes over a share: as asked for or, once they have accepted, as agreed. Null for anybody else.',
    ),
  ),
  leavesOn: Nullable(
    DateOnly('The last day of a tenant whose contract ends or ended early, as when they are replaced. Null otherwise.'),
  ),
})

const QuoteProduct = ResponseObject('QuoteProduct', 'A broadband product of a quote.', {
  productId: Id('The id of the product.'),
  name: Text(200, 'The name of the product.'),
  status: Choice(['added'], 'Always `added`.'),
})

const OfferedProduct = ResponseObject('OfferedBroadbandProduct', 'A broadband product available at the address.', {
  productId: Id('The id of the product.'),
  name: Text(200, 'The name of the product.'),
  speed: Type.Number({ description: 'The download speed in Mbps; 0 for an add-on.' }),
  uploadSpeed: Nullable(
    Type.Number({
      description:
        'The upload speed in Mbps. Null for an add-on, and if the provider did not state the speeds of the line.',
    }),
  ),
  normalSpeed: Nullable(
    Type.Number({ description: 'The download speed that is normally available, in Mbps, or null.' }),
  ),
  minimumSpeed: Nullable(
    Type.Number({ description: 'The download speed that the provider guarantees, in Mbps, or null.' }),
  ),
  price: Pence('The price per month in pence, including VAT.'),
  kind: Choice(['line', 'addon'], 'A quote has one `line` and any number of different add-ons.'),
  setupPrice: Pence('The one-off set-up charge in pence, including VAT.'),
})

/** A list of products available at an address. */
export const OfferedProducts = (description: string) =>
  Type.Array(OfferedProduct, { maxItems: maxBroadbandProducts, description })

/** The lists of a quote. */
export const Tenants = Type.Array(Tenant, {
  maxItems: maxTenantsEver,
  description:
    'All tenants of the quote, in the order in which they joined. A tenant who is replaced stays in the list; see `joinsOn` and `leavesOn`.',
})
export const SelectedPackages = Type.Array(SelectedPackage, {
  maxItems: serviceNames().length,
  description: 'The selected packages, at most one of each type.',
})
export const QuoteProducts = Type.Array(QuoteProduct, {
  maxItems: maxBroadbandProducts,
  description: 'All broadband products of the quote.',
})

/** The numbers of bedrooms that a quote can be made for. */
export const bedroomRange = { minimum: 0, maximum: 50 }

/** The fields that every response about a quote has, in addition to the operation's specific fields. */
export const quoteFields = {
  quoteId: Id('The id of the quote.'),
  status: QuoteStatusName,
  expiresAt: Timestamp('When the prices expire, while the quote is open.'),
  lockedUntil: Nullable(
    Timestamp(
      'While the quote is active: when it opens again, with expired prices, unless every tenant has accepted the terms. Null otherwise.',
    ),
  ),
  createdAt: Timestamp('When the quote was created.'),
  quotingToolVersionId: Id('The id of the quoting tool version that the quote is priced with.'),
  contractStartDate: DateOnly('The first day of the contract.'),
  contractEndDate: DateOnly('The last day of the contract.'),
  contractTerm: Text(
    100,
    'How long the contract lasts, to show to tenants: such as `for 12 months, or until your tenancy ends`. Without the second part if the terms ask for a fee then, or once you have sent when the tenancy ends.',
  ),
  leadTenantId: Nullable(
    Id(
      'The id of the lead tenant; null while the quote has no tenants, or after the lead tenant was erased, until another one agrees to lead.',
    ),
  ),
  primaryContact: Nullable(
    Id(
      'The id of the tenant to contact about the household: the lead tenant or, once the quote is completed, the first tenant whose contract is in force. Null if there is none.',
    ),
  ),
  reference: Nullable(Text(100, 'Your own id for the quote; null if you did not set one.')),
  bedrooms: Nullable(WholeNumber({ ...bedroomRange, description: 'The number of bedrooms that you sent, or null.' })),
  branch: Nullable(Text(100, 'Your branch that sells it, as you sent it; null if you did not.')),
  soldBy: Nullable(Text(80, 'Who sold it, as you sent it; null if you did not.')),
  metadata: MetadataObject,
  householdComplete: Flag(
    'Whether you or the lead tenant said that everybody who shares the bills is on the quote. Adding or removing a tenant makes it false.',
  ),
  sendEmails: Flag('Whether you chose, when you created it, that we write to the tenants before they have a contract.'),
  returnUrl: Nullable(
    Text(
      2_048,
      "Your page to which the tenants' pages lead back, as sent with `POST /Households`; null if there is none.",
    ),
  ),
  moveIn: Nullable(MoveInObject),
  tenancy: Nullable(described(TenancyObject, "What is known of the household's tenancy; null if nothing is.")),
  meter: Nullable(described(MeterFactsObject, "What is known of the home's meters and heating; null if nothing is.")),
}

/** A quote without its lists. */
export const QuoteOutline = ResponseObject(
  'QuoteOutline',
  'A quote without its tenants, packages and prices.',
  quoteFields,
)

export const QuoteTenants = ResponseObject('QuoteTenants', 'A quote with its tenants.', {
  ...quoteFields,
  tenants: Tenants,
  ...pricedFields,
})

export const PriceUpdate = ResponseObject('PriceUpdate', 'A change of the price of a quote.', {
  at: Timestamp('When the price changed.'),
  reason: NamedChoice('PriceUpdateReason', priceUpdateReasons, 'Why the price changed.'),
  oldMonthlyCost: Pence("The household's monthly cost before the change, in pence."),
  newMonthlyCost: Pence("The household's monthly cost after the change, in pence."),
})

export function presentQuoteFields(quote: Quote, at: PresentedAt): Static<typeof QuoteOutline> {
  return presentFields(quote, at, { lead: leadTenantId(quote), primary: primaryContact(quote) })
}

export function presentQuoteSummary(
  summary: QuoteSummary,
  at: PresentedAt,
): Static<typeof QuoteOutline> & { address: Static<typeof QuoteAddress> } {
  return {
    ...presentFields(summary, at, { lead: summary.leadTenantId, primary: summary.primaryContact }),
    address: presentQuoteAddress(summary.address),
  }
}

function presentFields(
  quote: Omit<QuoteSummary, 'address' | 'leadTenantId' | 'primaryContact'>,
  { quotePolicy }: PresentedAt,
  { lead, primary }: { lead: string | null; primary: string | null },
): Static<typeof QuoteOutline> {
  return presentAs(QuoteOutline, {
    ...quote,
    status: quoteStatus(quote),
    contractTerm: contractTermInWords(quote, quotePolicy),
    leadTenantId: lead,
    primaryContact: primary,
    householdComplete: quote.householdCompleteAt !== null,
  })
}

export function presentQuoteAddress(address: Quote['address']): Static<typeof QuoteAddress> {
  return presentAs(QuoteAddress, address)
}

export function presentTenants(quote: Quote): Static<typeof Tenant>[] {
  const lead = leadTenantId(quote)
  return quote.tenants.map(({ personal, ...tenant }) =>
    presentAs(Tenant, { ...personal, ...tenant, name: fullName(personal), isLead: tenant.tenantId === lead }),
  )
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

export const PaymentStatusName = NamedChoice(
  'PaymentStatus',
  paymentStatuses,
  "The state of a customer's payments: `ready` once a card is attached; `paid` or `failed` after the latest collection.",
)
