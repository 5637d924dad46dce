import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { IdList } from '../platform/http/schemas/values.ts'
import { inHours } from '../platform/openapi/time-in-words.ts'
import { presentPriced, pricedFields } from '../quoting/pricing/cost.schema.ts'
import { availabilityLifetimeMs } from '../quoting/quote-limits.ts'
import { presentProducts, presentQuoteFields, QuoteProducts, quoteFields } from '../quoting/quotes/quote.schema.ts'
import { addBroadbandProducts } from './add-broadband-products.ts'

export const addBroadbandProductsRoute = route({
  operationId: 'addBroadbandProducts',
  method: 'POST',
  path: '/Quotes/{id}/add-broadband-products',
  tag: 'Quotes',
  summary: 'Add broadband products to a quote',
  description: `Accepts product ids from an availability check of the address in the last ${inHours(availabilityLifetimeMs / 1_000)}. A quote has one main line and at most one of each add-on; adding another main line replaces the first. Add-ons need a main line. Also selects the broadband package. Returns all broadband products of the quote.`,
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('AddBroadbandProductsRequest', 'The broadband products to add.', {
    broadbandProducts: IdList('Product ids, from the availability check.'),
  }),
  reply: ResponseObject('QuoteBroadbandProducts', 'A quote with its broadband products.', {
    ...quoteFields,
    broadbandProducts: QuoteProducts,
    ...pricedFields,
  }),
  errors: [
    'validation_failed',
    'broadband_check_required',
    'broadband_product_not_available',
    'broadband_products_required',
    'package_not_available',
    'quote_expired',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (deps, { caller, id, body }) =>
    addBroadbandProducts(deps, caller, { quoteId: id, productIds: body.broadbandProducts }),
  present: ({ quote }, at) => ({
    ...presentQuoteFields(quote),
    broadbandProducts: presentProducts(quote.broadbandProducts),
    ...presentPriced(quote, at),
  }),
})
