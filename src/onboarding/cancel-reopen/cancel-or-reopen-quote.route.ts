import { route } from '../../platform/http/route.ts'
import { presentQuoteFields, QuoteOutline } from '../../quoting/quotes/quote.schema.ts'
import { cancelQuote, reopenQuote } from './cancel-or-reopen-quote.ts'

export const cancelQuoteRoute = route({
  operationId: 'cancelQuote',
  method: 'POST',
  path: '/Quotes/{id}/cancel',
  tag: 'Quotes',
  summary: 'Cancel a quote',
  description:
    "Possible while the quote is open or active. Contracts that tenants have agreed to never take effect (`superseded`). Also cancels the quote's open setup intents.",
  idDescription: 'quoteId',
  scope: 'quotes:write',
  reply: QuoteOutline,
  errors: ['already_onboarded', 'quote_cancelled', 'service_unavailable'],
  handle: (deps, { caller, id }) => cancelQuote(deps, caller, id),
  present: presentQuoteFields,
})

export const reopenQuoteRoute = route({
  operationId: 'reopenQuote',
  method: 'POST',
  path: '/Quotes/{id}/reopen',
  tag: 'Quotes',
  summary: 'Reopen an active quote',
  description:
    'Possible while the quote is active. Contracts that tenants have agreed to never take effect (`superseded`). Cancels open setup intents and returns the quote to its previous status, so that you can change it again.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  reply: QuoteOutline,
  errors: ['already_onboarded', 'quote_cancelled', 'validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id }) => reopenQuote(deps, caller, id),
  present: presentQuoteFields,
})
