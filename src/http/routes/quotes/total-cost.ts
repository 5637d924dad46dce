import Type from 'typebox'
import { getQuoteTotalCost } from '../../../domain/pricing/quote-total-cost.ts'
import { maxTenants } from '../../../kernel/limits.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import {
  CostBreakdown,
  CostLines,
  costFields,
  presentCost,
  presentElements,
  presentLine,
} from '../../wire/prices/cost.ts'
import { presentWarnings, warningFields } from '../../wire/prices/price-warning.ts'
import { presentQuoteFields, quoteFields } from '../../wire/quote.ts'
import { Flag } from '../../wire/values.ts'

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
  handle: (services, { caller, id, isHead }) => getQuoteTotalCost(services, caller, { quoteId: id, isHead }),
  present: ({ quote, price }, at) => ({
    ...presentQuoteFields(quote),
    ...presentCost(price),
    QuotePricesUpdated: quote.pricesUpdated,
    costBreakdown: presentElements(price, quote.tenants),
    lines: price.lines.map((line) => presentLine(line, line)),
    ...presentWarnings(quote, at),
  }),
})
