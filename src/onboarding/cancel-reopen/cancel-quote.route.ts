import { route } from '../../platform/http/route.ts'
import { presentQuoteFields, QuoteOutline } from '../../quoting/quotes/quote.schema.ts'
import { cancelQuote } from './cancel-quote.ts'

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
  handle: (services, { caller, id }) => cancelQuote(services, caller, id),
  present: presentQuoteFields,
})
