import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { IdList } from '../../platform/http/schemas/values.ts'
import { presentPriced, pricedFields } from '../pricing/cost.schema.ts'
import { presentQuoteFields, presentSelected, quoteFields, SelectedPackages } from '../quotes/quote.schema.ts'
import { updatePackages } from './update-packages.ts'

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
    ...presentQuoteFields(quote),
    updatedPackages: presentSelected(quote, offered),
    ...presentPriced(quote, at),
  }),
})
