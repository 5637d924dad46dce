import Type from 'typebox'
import { listQuotes } from '../../../domain/quotes/list-quotes.ts'
import { route } from '../../route.ts'
import { described, ResponseObject } from '../../wire/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../wire/page.ts'
import { presentQuoteSummary, QuoteAddress, QuoteStatusName, quoteFields } from '../../wire/quote.ts'
import { GivenTimestamp, parseOptionalInstant } from '../../wire/values.ts'

const QuoteSummary = ResponseObject('QuoteSummary', 'A quote and its address.', {
  ...quoteFields,
  address: QuoteAddress,
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
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('QuoteList', QuoteSummary),
  errors: ['validation_failed'],
  handle: (services, { caller, query }) =>
    listQuotes(services, caller, {
      status: query.status,
      reference: query.reference,
      createdFrom: parseOptionalInstant(query.createdFrom),
      createdBefore: parseOptionalInstant(query.createdBefore),
      beforeQuoteId: idFromCursor(query.cursor, 'quote'),
      limit: query.limit ?? 20,
      now: caller.now,
    }),
  present: ({ quotes, nextBeforeQuoteId }) => ({
    data: quotes.map(presentQuoteSummary),
    nextCursor: encodeCursor(nextBeforeQuoteId),
  }),
})
