import Type from 'typebox'
import { getQuote } from '../../../domain/quotes/get-quote.ts'
import { route } from '../../route.ts'
import {
  OfferedPackage,
  PriceUpdate,
  presentOffered,
  presentProducts,
  presentQuoteAddress,
  presentQuoteFields,
  presentSelected,
  presentTenants,
  QuoteAddress,
  QuoteProduct,
  quoteFields,
  SelectedPackage,
  Tenant,
} from '../../wire/quote.ts'
import { Timestamp, timestamp } from '../../wire/values.ts'

export const getQuoteRoute = route({
  operationId: 'getQuote',
  method: 'GET',
  path: '/Quotes/{id}',
  tag: 'Quotes',
  summary: 'Read a quote',
  idDescription: 'quoteId',
  scope: 'quotes:read',
  reply: Type.Object(
    {
      ...quoteFields,
      address: QuoteAddress,
      tenants: Type.Array(Tenant),
      packages: Type.Array(OfferedPackage, { description: 'everything offered for the address' }),
      selectedPackages: Type.Array(SelectedPackage),
      broadbandProducts: Type.Array(QuoteProduct),
      pricedAt: Timestamp,
      priceUpdates: Type.Array(PriceUpdate),
    },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => getQuote(services, caller, id),
  present: ({ quote, offered }) => ({
    ...presentQuoteFields(quote),
    address: presentQuoteAddress(quote.address),
    tenants: presentTenants(quote),
    packages: presentOffered(quote, offered),
    selectedPackages: presentSelected(quote, offered),
    broadbandProducts: presentProducts(quote.broadbandProducts),
    pricedAt: timestamp(quote.pricedAt),
    priceUpdates: quote.priceUpdates,
  }),
})
