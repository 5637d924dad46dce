import Type, { type Static } from 'typebox'
import type { PresentedAt } from '../../platform/http/route.ts'
import { described, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence, presentAs, Text } from '../../platform/http/schemas/values.ts'
import { maxBroadbandProducts } from '../packages/package.ts'
import { ServiceType } from '../packages/service-status.schema.ts'
import { serviceNames, services } from '../packages/services.ts'
import type { SimilarQuote } from '../quotes/overlaps/overlap.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'
import { fullName } from '../tenants/customer.ts'
import type { CustomerPackage } from './customer-packages.ts'
import type { CostFigures, PricedLine, QuotePrice } from './price.ts'
import { presentWarnings, warningFields } from './price-warning.schema.ts'

/**
 * The cost fields of every cost object. Set-up counts towards totalCost but not towards monthly or other periodic
 * figures.
 */
export const costFields = {
  weeklyCost: Pence(
    'The cost of an average week in pence, including VAT and without set-up: a 52nd of the year. A year of 211758 makes a week of 4072.',
  ),
  monthlyCost: Pence(
    'The cost of an average month in pence, including VAT and without set-up. It is rounded, so multiplying it does not give the total: 12 months of 17646 are 211752, but the term of a year can cost 211758.',
  ),
  yearlyCost: Pence(
    'The cost of an average year in pence, including VAT and without set-up: 12 months before rounding, however long the contract runs. A month of 17646.5 makes a year of 211758.',
  ),
  totalCost: Pence(
    'The cost of the whole contract term in pence, including set-up and VAT. Calculated from every day of the term, not from `monthlyCost`.',
  ),
  setupCost: Pence('The one-off set-up charges in pence, including VAT.'),
  totalNet: Pence('`totalCost` without VAT, in pence.'),
  totalVat: Pence('The VAT included in `totalCost`, in pence.'),
  setupNet: Pence('`setupCost` without VAT, in pence.'),
  setupVat: Pence('The VAT included in `setupCost`, in pence.'),
}

/** One line for each metered service and each broadband product. */
export const maxLines = Object.values(services).filter(({ metered }) => metered !== null).length + maxBroadbandProducts

const VatPeriod = ResponseObject('VatPeriod', 'A VAT rate and the days it applies to.', {
  rate: Type.Number({ description: 'The VAT rate as a fraction: 0.05 is 5%.' }),
  from: DateOnly('The first day of the rate.'),
  to: DateOnly('The last day of the rate.'),
})

const CostLine = ResponseObject('CostLine', 'The cost of one package or broadband product.', {
  packageId: Id('The id of the package.'),
  productId: Nullable(Id('The id of the broadband product; null for every other service.')),
  type: ServiceType,
  name: Text(200, 'The name of the package or product.'),
  startDate: DateOnly('The first day of supply.'),
  endDate: DateOnly('The last day of supply.'),
  ...costFields,
  vatRates: Type.Array(VatPeriod, { maxItems: 100, description: 'The VAT rates during the term, in order.' }),
  setupVatRate: Type.Number({ description: 'The VAT rate of the set-up charge as a fraction: 0.2 is 20%.' }),
})

export const CostLines = (description: string) => Type.Array(CostLine, { maxItems: maxLines, description })

const CustomerPackageCost = ResponseObject('CustomerPackageCost', "A customer's share of one package.", {
  ...CostLine.properties,
  productId: Nullable(Id('The id of the first broadband product; null for every other service.')),
  name: Text(200, 'The name of the package.'),
  lines: CostLines("The customer's share of each line of the package: one for each broadband product, otherwise one."),
})

export const CustomerPackages = Type.Array(CustomerPackageCost, {
  maxItems: serviceNames().length,
  description: "The customer's share of each package.",
})

export const CostBreakdown = ResponseObject('CostBreakdown', "One tenant's share of the cost.", {
  tenantId: Id("The tenant's id."),
  tenantName: Text(201, "The tenant's name."),
  ...costFields,
  products: Type.Array(Text(200, 'The name of a package or product.'), {
    maxItems: maxLines,
    description: 'The names of the packages and products that the share pays for.',
  }),
})

const CostFieldsObject = Type.Object(costFields)

export function presentCost(figures: CostFigures): Static<typeof CostFieldsObject> {
  return presentAs(CostFieldsObject, figures)
}

/** A line with the figures of the household or of one tenant. */
export function presentLine(line: PricedLine, figures: CostFigures): Static<typeof CostLine> {
  return presentAs(CostLine, {
    ...line,
    ...presentCost(figures),
    vatRates: line.vatRates.map(({ rate, from, to }) => ({ rate: Number(rate), from, to })),
    setupVatRate: Number(line.setupVatRate),
  })
}

export function presentElements(price: QuotePrice, tenants: readonly QuoteTenant[]): Static<typeof CostBreakdown>[] {
  const products = price.lines.map((line) => line.name)
  const names = new Map<string, string>(tenants.map(({ tenantId, personal }) => [tenantId, fullName(personal)]))
  return price.shares.map((share) => ({
    tenantId: share.tenantId,
    tenantName: names.get(share.tenantId) ?? '',
    ...presentCost(share),
    products,
  }))
}

/** A customer's packages, each with its lines. Dates and VAT rates are the same for all lines of a package. */
export function presentCustomerPackages(packages: readonly CustomerPackage[]): Static<typeof CustomerPackages> {
  return packages.map((each) => ({
    ...presentLine(each.first, each),
    name: each.name,
    lines: each.lines.map(({ line, own }) => presentLine(line, own)),
  }))
}

const HouseholdCost = ResponseObject('HouseholdCost', 'What the whole household pays.', costFields)

/** What every response shows that changes what a quote costs. */
export const pricedFields = {
  cost: Nullable(
    described(
      HouseholdCost,
      'What the whole household pays, as total-cost splits it between the tenants; null while no package is selected.',
    ),
  ),
  ...warningFields,
}

const PricedFields = Type.Object(pricedFields)

export function presentPriced(
  quote: Quote,
  at: PresentedAt,
  similar: readonly SimilarQuote[] = [],
): Static<typeof PricedFields> {
  return { cost: quote.price === null ? null : presentCost(quote.price), ...presentWarnings(quote, at, similar) }
}
