import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Flag } from '../../platform/http/schemas/values.ts'
import { maxTenants } from '../quote-limits.ts'
import { presentQuoteFields, quoteFields } from '../quotes/quote.schema.ts'
import { CostBreakdown, CostLines, costFields, presentCost, presentElements, presentLine } from './cost.schema.ts'
import { presentWarnings, warningFields } from './price-warning.schema.ts'
import { getQuoteTotalCost } from './quote-total-cost.ts'

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
  reply: ResponseObject('QuoteCost', 'The total cost of a quote, split by tenant.', {
    ...quoteFields,
    ...costFields,
    QuotePricesUpdated: Flag(
      'Whether the prices were renewed after they had expired. Stays true until you change packages, tenants or products, set up payment or accept the terms.',
    ),
    costBreakdown: Type.Array(CostBreakdown, { maxItems: maxTenants, description: 'The share of each tenant.' }),
    lines: CostLines('The cost of each package and broadband product for the whole household.'),
    ...warningFields,
  }),
  errors: ['packages_required', 'tenants_required', 'quote_expired'],
  handle: (deps, { caller, id }) => getQuoteTotalCost(deps, caller, id),
  present: ({ quote, price }, at) => ({
    ...presentQuoteFields(quote),
    ...presentCost(price),
    QuotePricesUpdated: quote.pricesUpdated,
    costBreakdown: presentElements(price, quote.tenants),
    lines: price.lines.map((line) => presentLine(line, line)),
    ...presentWarnings(quote, at),
  }),
})
