import Type, { type Static } from 'typebox'
import { maxBroadbandProducts } from '../../domain/packages/package.ts'
import { services } from '../../domain/packages/services.ts'
import {
  type CostFigures,
  lacksProducts,
  type PricedLine,
  type QuotePrice,
  type TenantShare,
} from '../../domain/pricing/price.ts'
import type { QuoteTenant } from '../../domain/quotes/quote.ts'
import { DateOnly, Id, Pence, ServiceName, Text, wholePence } from './values.ts'

/** The cost fields of every cost object. Set-up counts towards totalCost but not towards monthly or other periodic figures. */
export const costFields = {
  weeklyCost: Pence,
  monthlyCost: Pence,
  yearlyCost: Pence,
  totalCost: wholePence('The cost of the whole contract term in pence, including set-up and VAT.'),
  setupCost: Pence,
  totalNet: wholePence('`totalCost` without VAT, in pence.'),
  totalVat: wholePence('The VAT included in `totalCost`, in pence.'),
  setupNet: wholePence('`setupCost` without VAT, in pence.'),
  setupVat: wholePence('The VAT included in `setupCost`, in pence.'),
}

/** One line for each metered service and each broadband product. */
export const maxLines = Object.values(services).filter(({ metered }) => metered !== null).length + maxBroadbandProducts

const VatRate = Type.Object(
  { rate: Type.Number({ description: 'The VAT rate as a fraction: 0.05 is 5%.' }), from: DateOnly, to: DateOnly },
  { additionalProperties: false },
)

const CostLine = Type.Object(
  {
    packageId: Id(),
    productId: Type.Union([Id(), Type.Null()], {
      description: 'The id of the broadband product; null for electricity and gas.',
    }),
    type: ServiceName,
    name: Text(200),
    startDate: DateOnly,
    endDate: DateOnly,
    ...costFields,
    vatRates: Type.Array(VatRate, { maxItems: 100 }),
    setupVatRate: Type.Number(),
  },
  { additionalProperties: false },
)

export const CostLines = Type.Array(CostLine, { maxItems: maxLines })

export const CostElement = Type.Object(
  {
    tenantId: Id(),
    tenantName: Text(201),
    ...costFields,
    products: Type.Array(Text(200), { maxItems: maxLines, description: 'names' }),
  },
  { additionalProperties: false },
)

const Warning = Type.Enum(['broadband_products_required'])
export const Warnings = Type.Array(Warning, { maxItems: 1 })

const CostFieldsObject = Type.Object(costFields)

export function presentCost(figures: CostFigures): Static<typeof CostFieldsObject> {
  const { weeklyCost, monthlyCost, yearlyCost, totalCost, setupCost, totalNet, totalVat, setupNet, setupVat } = figures
  return { weeklyCost, monthlyCost, yearlyCost, totalCost, setupCost, totalNet, totalVat, setupNet, setupVat }
}

/** A line with the figures of the household or of one tenant. */
export function presentLine(line: PricedLine, figures: CostFigures): Static<typeof CostLine> {
  const { packageId, productId, type, name, startDate, endDate } = line
  return {
    packageId,
    productId,
    type,
    name,
    startDate,
    endDate,
    ...presentCost(figures),
    vatRates: line.vatRates.map(({ rate, from, to }) => ({ rate: Number(rate), from, to })),
    setupVatRate: Number(line.setupVatRate),
  }
}

export function presentElements(price: QuotePrice, tenants: readonly QuoteTenant[]): Static<typeof CostElement>[] {
  const products = price.lines.map((line) => line.name)
  return price.shares.map((share) => ({
    tenantId: share.tenantId,
    tenantName: tenants.find((tenant) => tenant.tenantId === share.tenantId)?.name ?? '',
    ...presentCost(share),
    products,
  }))
}

/** A customer's lines: the household's lines with this tenant's figures. */
export function presentShareLines(price: QuotePrice, share: TenantShare): Static<typeof CostLine>[] {
  return price.lines.map((line, index) => {
    const figures = share.lines[index]
    if (figures === undefined) throw new Error('a share has no figures for a line of the price')
    return presentLine(line, figures)
  })
}

/** Warns that a broadband package without a product costs nothing yet. */
export function warningsOf(price: QuotePrice): Static<typeof Warning>[] {
  return lacksProducts(price) ? ['broadband_products_required'] : []
}
