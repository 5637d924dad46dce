import { addPackages } from '../../../domain/packages/add-packages.ts'
import { route } from '../../route.ts'
import { RequestObject, ResponseObject } from '../../wire/named.ts'
import { presentPriced, pricedFields } from '../../wire/prices/priced-quote.ts'
import { presentQuoteFields, presentSelected, quoteFields, SelectedPackages } from '../../wire/quote.ts'
import { IdList } from '../../wire/values.ts'

export const addPackagesRoute = route({
  operationId: 'addPackages',
  method: 'POST',
  path: '/Quotes/{id}/add-packages',
  tag: 'Quotes',
  summary: 'Add packages to a quote',
  description:
    'Returns all selected packages. Adding a package that is already selected changes nothing. Adding a second package of the same type is an error.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('AddPackagesRequest', 'The packages to add.', {
    packageIds: IdList('Package ids, from `availablePackages`.'),
  }),
  reply: ResponseObject('QuotePackages', 'A quote with its selected packages.', {
    ...quoteFields,
    selectedPackages: SelectedPackages,
    ...pricedFields,
  }),
  errors: ['validation_failed', 'package_not_available', 'quote_expired', 'quote_locked', 'quote_cancelled'],
  handle: (services, { caller, id, body }) =>
    addPackages(services, caller, { quoteId: id, packageIds: body.packageIds }),
  present: ({ quote, offered }, at) => ({
    ...presentQuoteFields(quote),
    selectedPackages: presentSelected(quote, offered),
    ...presentPriced(quote, at),
  }),
})
