import { route } from '../platform/http/route.ts'
import { presentQuoteFields, QuoteOutline } from '../quoting/quotes/quote.schema.ts'
import { expireQuote } from './expire-quote.ts'

export const expireQuoteRoute = route({
  operationId: 'sandboxExpireQuote',
  method: 'POST',
  path: '/Sandbox/quotes/{id}/expire',
  tag: 'Sandbox',
  summary: 'Expire a quote now',
  idDescription: 'quoteId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: QuoteOutline,
  errors: ['quote_locked', 'quote_cancelled'],
  handle: (deps, { caller, id }) => expireQuote(deps, caller, id),
  present: presentQuoteFields,
})
