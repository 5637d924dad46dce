import Type from 'typebox'
import { listQuotes } from '../../../domain/quotes/list-quotes.ts'
import { route } from '../../route.ts'
import { encodeCursor, idFromCursor, PageQuery } from '../../wire/page.ts'
import { presentQuoteSummary, QuoteAddress, QuoteStatusName, quoteFields } from '../../wire/quote.ts'
import { Id, parseOptionalInstant, Timestamp } from '../../wire/values.ts'

export const listQuotesRoute = route({
  operationId: 'listQuotes',
  method: 'GET',
  path: '/Quotes',
  tag: 'Quotes',
  summary: 'List your quotes, newest first',
  scope: 'quotes:read',
  query: Type.Object(
    {
      status: Type.Optional(QuoteStatusName),
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      createdFrom: Type.Optional(Timestamp),
      createdBefore: Type.Optional(Timestamp),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: Type.Object(
    {
      data: Type.Array(Type.Object({ ...quoteFields, address: QuoteAddress }, { additionalProperties: false }), {
        maxItems: 100,
      }),
      nextCursor: Type.Union([Id(), Type.Null()]),
    },
    { additionalProperties: false },
  ),
  errors: ['validation_failed'],
  handle: (services, { caller, query }) =>
    listQuotes(services, caller, {
      status: query.status,
      reference: query.reference,
      createdFrom: parseOptionalInstant(query.createdFrom),
      createdBefore: parseOptionalInstant(query.createdBefore),
      beforeQuoteId: idFromCursor(query.cursor, 'quote'),
      limit: query.limit ?? 20,
    }),
  present: ({ quotes, nextBeforeQuoteId }) => ({
    data: quotes.map(presentQuoteSummary),
    nextCursor: encodeCursor(nextBeforeQuoteId),
  }),
})
