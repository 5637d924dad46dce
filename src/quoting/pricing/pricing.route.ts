import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Flag, Pence, presentAs, WholeNumber } from '../../platform/http/schemas/values.ts'
import { maxTenants } from '../quote-limits.ts'
import { presentQuoteFields, quoteFields } from '../quotes/quote.schema.ts'
import { CostBreakdown, CostLines, costFields, presentCost, presentElements, presentLine } from './cost.schema.ts'
import { estimateQuote } from './estimate-quote.ts'
import { presentWarnings, warningFields } from './price-warning.schema.ts'
import { getQuoteTotalCost } from './quote-total-cost.ts'

const range = { minimum: 1, maximum: maxTenants }

const FirstPayment = ResponseObject('FirstPayment', 'The first payment, if the tenant agreed today.', {
  date: DateOnly('The working day on which it would be taken.'),
  amount: Pence('The amount in pence, including VAT.'),
})

export const estimateQuoteRoute = route({
  operationId: 'estimateQuote',
  method: 'GET',
  path: '/Quotes/{id}/estimate',
  tag: 'Quotes',
  summary: 'Estimate the cost of a quote for a number of tenants',
  description:
    'Shows what the selected packages would cost with this number of tenants, and the share of each, before you know any name. This call stores nothing and never fetches new prices: on an expired quote it uses the last ones. On a locked quote, total-cost shows what is agreed; the estimate shows what other numbers of tenants would pay.',
  idDescription: 'quoteId',
  scope: 'quotes:read',
  query: Type.Object(
    {
      tenants: Type.Optional(
        WholeNumber({
          ...range,
          description:
            "How many tenants to estimate for. By default, the quote's present number; required while it has none.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: ResponseObject('QuoteEstimate', 'The cost of a quote for a number of tenants.', {
    ...quoteFields,
    numberOfTenants: WholeNumber({ ...range, description: 'The number of tenants that the estimate is for.' }),
    expired: Flag('Whether the prices have expired. If so, total-cost may return others.'),
    ...costFields,
    shares: Type.Array(
      ResponseObject('EstimatedShare', "One tenant's share of the cost.", {
        ...costFields,
        firstPayment: FirstPayment,
      }),
      {
        minItems: 1,
        maxItems: maxTenants,
        description: "Each tenant's share, in the order in which they would join: the lead tenant's first.",
      },
    ),
    lines: CostLines('The cost of each package and broadband product for the whole household.'),
    ...warningFields,
  }),
  errors: ['packages_required', 'quote_cancelled'],
  handle: (deps, { caller, id, query }) => estimateQuote(deps, caller, id, query.tenants),
  present: ({ quote, price, shares, isExpired }, at) => ({
    ...presentQuoteFields(quote, at),
    numberOfTenants: price.shares.length,
    expired: isExpired,
    ...presentCost(price),
    shares: shares.map((share) => ({
      ...presentCost(share),
      firstPayment: presentAs(FirstPayment, share.firstPayment),
    })),
    lines: price.lines.map((line) => presentLine(line, line)),
    ...presentWarnings(quote, at),
  }),
})

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
    ...presentQuoteFields(quote, at),
    ...presentCost(price),
    QuotePricesUpdated: quote.pricesUpdated,
    costBreakdown: presentElements(price, quote.tenants),
    lines: price.lines.map((line) => presentLine(line, line)),
    ...presentWarnings(quote, at),
  }),
})
