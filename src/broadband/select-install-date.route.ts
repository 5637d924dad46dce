import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly } from '../platform/http/schemas/values.ts'
import { isoDate } from '../platform/kernel/dates.ts'
import { presentPriced, pricedFields } from '../quoting/pricing/cost.schema.ts'
import { presentProducts, presentQuoteFields, QuoteProducts, quoteFields } from '../quoting/quotes/quote.schema.ts'
import { selectInstallDate } from './select-install-date.ts'

export const selectInstallDateRoute = route({
  operationId: 'selectInstallDate',
  method: 'POST',
  path: '/Quotes/{id}/select-install-date',
  tag: 'Quotes',
  summary: 'Select the day on which broadband is installed',
  description:
    'Only possible while the quote is open and has not expired. Broadband starts, and is charged from, the selected day. Call it again to choose another day. If the contract later starts after that day, the earliest day applies again, and `warnings` says so.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('SelectInstallDateRequest', 'The install date to select.', {
    date: DateOnly('One of `availableDates` from get-bb-install-dates.'),
  }),
  reply: ResponseObject('QuoteInstallDate', 'A quote with its install date.', {
    ...quoteFields,
    selectedDate: DateOnly('The day on which broadband starts.'),
    broadbandProducts: QuoteProducts,
    ...pricedFields,
  }),
  errors: [
    'validation_failed',
    'install_date_not_available',
    'broadband_products_required',
    'quote_expired',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (deps, { caller, id, body }) => selectInstallDate(deps, caller, { quoteId: id, date: isoDate(body.date) }),
  present: (quote, at) => {
    if (quote.selectedInstallDate === null) throw new Error('no install date is selected')
    return {
      ...presentQuoteFields(quote),
      selectedDate: quote.selectedInstallDate,
      broadbandProducts: presentProducts(quote.broadbandProducts),
      ...presentPriced(quote, at),
    }
  },
})
