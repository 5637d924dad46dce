import Type from 'typebox'
import { reopenQuote } from '../../../domain/quotes/reopen-quote.ts'
import { route } from '../../route.ts'
import { presentQuoteFields, quoteFields } from '../../wire/quote.ts'

export const reopenQuoteRoute = route({
  operationId: 'reopenQuote',
  method: 'POST',
  path: '/Quotes/{id}/reopen',
  tag: 'Quotes',
  summary: 'Unlock an active quote',
  description:
    'Possible while nobody has accepted the terms. Cancels setup intents that are under way; the quote goes back to its last label and can be changed again.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  reply: Type.Object(quoteFields, { additionalProperties: false }),
  errors: ['already_onboarded', 'quote_cancelled', 'validation_failed', 'service_unavailable'],
  handle: (services, { caller, id }) => reopenQuote(services, caller, id),
  present: presentQuoteFields,
})
