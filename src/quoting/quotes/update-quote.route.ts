import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, RequestObject } from '../../platform/http/schemas/named.ts'
import { Flag } from '../../platform/http/schemas/values.ts'
import { MetadataObject } from './metadata.schema.ts'
import { presentQuoteFields, QuoteOutline } from './quote.schema.ts'
import { updateQuote } from './update-quote.ts'

export const updateQuoteRoute = route({
  operationId: 'updateQuote',
  method: 'PATCH',
  path: '/Quotes/{id}',
  tag: 'Quotes',
  summary: 'Change the metadata of a quote, or say that the household is complete',
  description:
    'Changes what you send. Metadata can be replaced at any time, until everyone on the quote has been erased. `householdComplete` can change while the quote is open. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject(
    'UpdateQuoteRequest',
    'What to change.',
    {
      metadata: Type.Optional(described(MetadataObject, 'Replaces all your keys and values. `{}` removes them.')),
      householdComplete: Type.Optional(
        Flag(
          "Whether everybody who shares the bills is on the quote. On the tenants' pages, nobody can add a card before that.",
        ),
      ),
    },
    { minProperties: 1 },
  ),
  reply: QuoteOutline,
  errors: ['validation_failed', 'customer_erased', 'quote_locked', 'quote_cancelled'],
  handle: (deps, { caller, id, body }) => updateQuote(deps, caller, id, body),
  present: presentQuoteFields,
})
