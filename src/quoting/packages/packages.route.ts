import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { IdList } from '../../platform/http/schemas/values.ts'
import { presentPriced, pricedFields } from '../pricing/cost.schema.ts'
import { presentQuoteFields, presentSelected, quoteFields, SelectedPackages } from '../quotes/quote.schema.ts'
import { addPackages, updatePackages } from './change-packages.ts'

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
  handle: (deps, { caller, id, body }) => addPackages(deps, caller, { quoteId: id, packageIds: body.packageIds }),
  present: ({ quote, offered }, at) => ({
    ...presentQuoteFields(quote, at),
    selectedPackages: presentSelected(quote, offered),
    ...presentPriced(quote, at),
  }),
})

export const updatePackagesRoute = route({
  operationId: 'updatePackages',
  method: 'POST',
  path: '/Quotes/{id}/update-packages',
  tag: 'Quotes',
  summary: 'Replace the selected packages',
  description:
    'Also works on an expired quote, without extending its expiry. Removing the broadband package also removes its products.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('UpdatePackagesRequest', 'The packages to select.', {
    packageIds: IdList('Package ids, from `availablePackages`.'),
  }),
  reply: ResponseObject('UpdatedQuotePackages', 'A quote with its selected packages.', {
    ...quoteFields,
    updatedPackages: SelectedPackages,
    ...pricedFields,
  }),
  errors: ['validation_failed', 'package_not_available', 'quote_locked', 'quote_cancelled'],
  handle: (deps, { caller, id, body }) => updatePackages(deps, caller, { quoteId: id, packageIds: body.packageIds }),
  present: ({ quote, offered }, at) => ({
    ...presentQuoteFields(quote, at),
    updatedPackages: presentSelected(quote, offered),
    ...presentPriced(quote, at),
  }),
})
