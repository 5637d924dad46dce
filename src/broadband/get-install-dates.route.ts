import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id } from '../platform/http/schemas/values.ts'
import { getInstallDates } from './get-install-dates.ts'

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
