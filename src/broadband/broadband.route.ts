import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Nullable, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, IdList } from '../platform/http/schemas/values.ts'
import { isoDate } from '../platform/kernel/dates.ts'
import { inHours } from '../platform/openapi/time-in-words.ts'
import { presentPriced, pricedFields } from '../quoting/pricing/cost.schema.ts'
import { availabilityLifetimeMs } from '../quoting/quote-limits.ts'
import { presentProducts, presentQuoteFields, QuoteProducts, quoteFields } from '../quoting/quotes/quote.schema.ts'
import { addBroadbandProducts } from './add-broadband-products.ts'
import { getInstallDates } from './get-install-dates.ts'
import { selectInstallDate } from './select-install-date.ts'

export const getInstallDatesRoute = route({
  operationId: 'getBroadbandInstallDates',
  method: 'GET',
  path: '/Quotes/{id}/get-bb-install-dates',
  tag: 'Quotes',
  summary: 'List the days on which broadband can be installed',
  idDescription: 'quoteId',
  scope: 'quotes:read',
  reply: ResponseObject('InstallDates', 'The days on which broadband can be installed.', {
    quoteId: Id('The id of the quote.'),
    availableDates: Type.Array(DateOnly('A day.'), { maxItems: 400, description: 'The days, earliest first.' }),
    earliestDate: DateOnly('The first of these days. Broadband starts on it, unless you select another.'),
    selectedDate: Nullable(
      DateOnly('The day you selected with select-install-date; null if broadband starts on `earliestDate`.'),
    ),
  }),
  errors: ['broadband_products_required'],
  handle: (deps, { caller, id }) => getInstallDates(deps, caller, id),
  present: ({ quoteId, dates, selectedDate }) => {
    const [earliestDate] = dates
    if (earliestDate === undefined) throw new Error('no install date is available')
    return { quoteId, availableDates: dates, earliestDate, selectedDate }
  },
})

export const addBroadbandProductsRoute = route({
  operationId: 'addBroadbandProducts',
  method: 'POST',
  path: '/Quotes/{id}/add-broadband-products',
  tag: 'Quotes',
  summary: 'Add broadband products to a quote',
  description: `Accepts product ids from an availability check of the address in the last ${inHours(availabilityLifetimeMs / 1_000)}. A quote has one main line and at most one of each add-on; adding another main line replaces the first. Add-ons need a main line. Also selects the broadband package. Returns all broadband products of the quote.`,
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('AddBroadbandProductsRequest', 'The broadband products to add.', {
    broadbandProducts: IdList('Product ids, from the availability check.'),
  }),
  reply: ResponseObject('QuoteBroadbandProducts', 'A quote with its broadband products.', {
    ...quoteFields,
    broadbandProducts: QuoteProducts,
    ...pricedFields,
  }),
  errors: [
    'validation_failed',
    'broadband_check_required',
    'broadband_product_not_available',
    'broadband_products_required',
    'package_not_available',
    'quote_expired',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (deps, { caller, id, body }) =>
    addBroadbandProducts(deps, caller, { quoteId: id, productIds: body.broadbandProducts }),
  present: ({ quote }, at) => ({
    ...presentQuoteFields(quote, at),
    broadbandProducts: presentProducts(quote.broadbandProducts),
    ...presentPriced(quote, at),
  }),
})

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
      ...presentQuoteFields(quote, at),
      selectedDate: quote.selectedInstallDate,
      broadbandProducts: presentProducts(quote.broadbandProducts),
      ...presentPriced(quote, at),
    }
  },
})
