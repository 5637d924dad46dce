import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, ResponseObject } from '../../platform/http/schemas/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { GivenTimestamp, parseOptionalInstant } from '../../platform/http/schemas/values.ts'
import { includedFields, includeQuery, presentIncluded } from '../tenants/customer-summary.schema.ts'
import { presentQuoteSummary, QuoteAddress, QuoteStatusName, quoteFields } from './quote.schema.ts'
import { listQuotes } from './read-quotes.ts'

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
        createdFrom: parseOptionalInstant(query.createdFrom),
        createdBefore: parseOptionalInstant(query.createdBefore),
        beforeQuoteId: idFromCursor(query.cursor, 'quote'),
        limit: query.limit ?? 20,
        now: caller.now,
      },
      { withCustomers: query.include === 'customers', scopes },
    ),
  present: ({ quotes, nextBeforeQuoteId, included }) => ({
    data: quotes.map((quote) => ({ ...presentQuoteSummary(quote), ...presentIncluded(included, quote.quoteId) })),
    nextCursor: encodeCursor(nextBeforeQuoteId),
  }),
})
