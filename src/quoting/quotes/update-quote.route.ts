import { route } from '../../platform/http/route.ts'
import { MetadataObject } from '../../platform/http/schemas/metadata.ts'
import { described, RequestObject } from '../../platform/http/schemas/named.ts'
import { presentQuoteFields, QuoteOutline } from './quote.schema.ts'
import { updateQuote } from './update-quote.ts'

export const updateQuoteRoute = route({
  operationId: 'updateQuote',
  method: 'PATCH',
  path: '/Quotes/{id}',
  tag: 'Quotes',
  summary: 'Change the metadata of a quote',
  description:
    'Replaces all metadata of the quote: send the keys that are to stay too. Possible at any time, until everyone on the quote has been erased. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('UpdateQuoteRequest', 'What to change.', {
    metadata: described(MetadataObject, 'Replaces all your keys and values. `{}` removes them.'),
  }),
  reply: QuoteOutline,
  errors: ['validation_failed', 'customer_erased'],
  handle: (deps, { caller, id, body }) => updateQuote(deps, caller, { quoteId: id, metadata: body.metadata }),
  present: presentQuoteFields,
})
