import Type from 'typebox'
import { getQuoteTotalCost } from '../../../domain/pricing/quote-total-cost.ts'
import { maxTenants } from '../../../domain/quotes/quote.ts'
import { route } from '../../route.ts'
import {
  CostElement,
  CostLines,
  costFields,
  presentCost,
  presentElements,
  presentLine,
  Warnings,
  warningsOf,
} from '../../wire/cost.ts'
import { presentQuoteFields, quoteFields } from '../../wire/quote.ts'

export const quoteTotalCostRoute = route({
  operationId: 'getQuoteTotalCost',
  method: 'GET',
  path: '/Quotes/{id}/total-cost',
  tag: 'Quotes',
  summary: 'Get the total cost of a quote, split by tenant',
  description:
    "If the quote is open and has expired, this call fetches new prices, extends the expiry and returns `QuotePricesUpdated: true`. `lines` breaks the household's cost down by product, with VAT.",
  idDescription: 'quoteId',
  scope: 'quotes:read',
  reply: Type.Object(
    {
      ...quoteFields,
      ...costFields,
      QuotePricesUpdated: Type.Boolean(),
      costBreakdown: Type.Array(CostElement, { maxItems: maxTenants }),
      lines: CostLines,
      warnings: Warnings,
    },
    { additionalProperties: false },
  ),
  errors: ['packages_required', 'tenants_required', 'quote_expired'],
  handle: (services, { caller, id }) => getQuoteTotalCost(services, caller, id),
  present: ({ quote, price, pricesUpdated }) => ({
    ...presentQuoteFields(quote),
    ...presentCost(price),
    QuotePricesUpdated: pricesUpdated,
    costBreakdown: presentElements(price, quote.tenants),
    lines: price.lines.map((line) => presentLine(line, line)),
    warnings: warningsOf(price),
  }),
})
