import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, ResponseObject } from '../../platform/http/schemas/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import {
  Flag,
  GivenId,
  GivenTimestamp,
  Id,
  Name,
  parseOptionalInstant,
  Text,
  Timestamp,
  timestamp,
} from '../../platform/http/schemas/values.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { maxPackages } from '../packages/package.ts'
import { presentPriced, pricedFields } from '../pricing/cost.schema.ts'
import { availabilityLifetimeMs } from '../quote-limits.ts'
import { includedFields, includeQuery, presentIncluded } from '../tenants/customer-summary.schema.ts'
import { listQuotingToolVersions } from './list-quoting-tool-versions.ts'
import {
  GivenPostcode,
  givenPostcode,
  NextStepName,
  OfferedPackage,
  OfferedProducts,
  PriceUpdate,
  presentOffered,
  presentProducts,
  presentQuoteAddress,
  presentQuoteFields,
  presentQuoteSummary,
  presentSelected,
  presentTenants,
  QuoteAddress,
  QuoteProducts,
  QuoteStatusName,
  quoteFields,
  SelectedPackages,
  SoldBy,
  Tenants,
} from './quote.schema.ts'
import { getQuote, listQuotes } from './read-quotes.ts'
import { maxPriceUpdates } from './reprice.ts'

export const getQuoteRoute = route({
  operationId: 'getQuote',
  method: 'GET',
  path: '/Quotes/{id}',
  tag: 'Quotes',
  summary: 'Get a quote',
  idDescription: 'quoteId',
  scope: 'quotes:read',
  query: Type.Object(includeQuery, { additionalProperties: false }),
  errors: ['validation_failed'],
  reply: ResponseObject('Quote', 'A quote with its tenants, packages and broadband products.', {
    ...quoteFields,
    address: QuoteAddress,
    tenants: Tenants,
    packages: Type.Array(OfferedPackage, {
      maxItems: maxPackages,
      description: 'All packages available for the address.',
    }),
    selectedPackages: SelectedPackages,
    broadbandProducts: QuoteProducts,
    availableBroadbandProducts: OfferedProducts(
      `The products that your availability check of the address found in the last ${inHours(availabilityLifetimeMs / 1_000)}; empty if there was no such check.`,
    ),
    pricedAt: Timestamp('When the prices were fetched.'),
    priceUpdates: Type.Array(PriceUpdate, { maxItems: maxPriceUpdates, description: 'The changes of the price.' }),
    ...pricedFields,
    ...includedFields,
  }),
  handle: (deps, { caller, id, query, scopes }) =>
    getQuote(deps, caller, id, { withCustomers: query.include === 'customers', scopes }),
  present: ({ quote, offered, availableProducts, included }, at) => ({
    ...presentQuoteFields(quote, at),
    address: presentQuoteAddress(quote.address),
    tenants: presentTenants(quote),
    packages: presentOffered(quote, offered),
    selectedPackages: presentSelected(quote, offered),
    broadbandProducts: presentProducts(quote.broadbandProducts),
    availableBroadbandProducts: availableProducts,
    pricedAt: timestamp(quote.pricedAt),
    priceUpdates: quote.priceUpdates,
    ...presentPriced(quote, at),
    ...presentIncluded(included, quote.quoteId),
  }),
})

const QuoteSummary = ResponseObject('QuoteSummary', 'A quote and its address.', {
  ...quoteFields,
  address: QuoteAddress,
  ...includedFields,
})

export const listQuotesRoute = route({
  operationId: 'listQuotes',
  method: 'GET',
  path: '/Quotes',
  tag: 'Quotes',
  summary: 'List your quotes, newest first',
  scope: 'quotes:read',
  query: Type.Object(
    {
      status: Type.Optional(described(QuoteStatusName, 'Return quotes with this status.')),
      reference: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Return quotes with this reference.' }),
      ),
      branch: Type.Optional(Name('Return quotes of this branch.')),
      soldBy: Type.Optional(SoldBy('Return quotes that this person sold, as you sent `soldBy`.')),
      postcode: Type.Optional(GivenPostcode('Return quotes for homes at this postcode.')),
      waitingFor: Type.Optional(
        NextStepName('Return quotes, unless cancelled, of which a tenant has this to do next.'),
      ),
      quotingToolVersionId: Type.Optional(GivenId('Return quotes that are priced with this quoting tool version.')),
      createdFrom: Type.Optional(GivenTimestamp('Return quotes created at or after this time.')),
      createdBefore: Type.Optional(GivenTimestamp('Return quotes created before this time.')),
      ...includeQuery,
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('QuoteList', QuoteSummary),
  errors: ['validation_failed'],
  handle: (deps, { caller, query, scopes }) =>
    listQuotes(
      deps,
      caller,
      {
        status: query.status,
        reference: query.reference,
        branch: query.branch,
        soldBy: query.soldBy,
        postCode: givenPostcode(query.postcode),
        waitingFor: query.waitingFor,
        quotingToolVersionId: query.quotingToolVersionId,
        createdFrom: parseOptionalInstant(query.createdFrom),
        createdBefore: parseOptionalInstant(query.createdBefore),
        beforeQuoteId: idFromCursor(query.cursor, 'quote'),
        limit: query.limit ?? 20,
        now: caller.now,
      },
      { withCustomers: query.include === 'customers', scopes },
    ),
  present: ({ quotes, nextBeforeQuoteId, included }, at) => ({
    data: quotes.map((quote) => ({ ...presentQuoteSummary(quote, at), ...presentIncluded(included, quote.quoteId) })),
    nextCursor: encodeCursor(nextBeforeQuoteId),
  }),
})

const QuotingToolVersion = ResponseObject('QuotingToolVersion', 'A published rate card.', {
  id: Id('The id to send as `quotingToolVersionId`.'),
  name: Text(200, 'The name of the version.'),
  isDefault: Flag('Whether quotes use this version unless you choose another.'),
})

export const listQuotingToolVersionsRoute = route({
  operationId: 'listQuotingToolVersions',
  method: 'GET',
  path: '/Quotes/quoting-tool-versions',
  tag: 'Quotes',
  summary: 'List the quoting tool versions you can use today',
  description:
    'Each version is a published rate card. The default comes first; a quote uses it unless you choose another. You can cache the list.',
  scope: 'quotes:read',
  reply: ResponseObject('QuotingToolVersionList', 'The quoting tool versions you can use today.', {
    versions: Type.Array(QuotingToolVersion, {
      maxItems: 1_000,
      description: 'The versions; the default comes first.',
    }),
  }),
  handle: (deps, { caller }) => listQuotingToolVersions(deps, caller),
  present: (versions) => ({
    versions: versions.map(({ quotingToolVersionId, name }, index) => ({
      id: quotingToolVersionId,
      name,
      isDefault: index === 0,
    })),
  }),
})
