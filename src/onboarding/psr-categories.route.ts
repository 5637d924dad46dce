import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, ResponseObject } from '../platform/http/schemas/named.ts'
import { Text } from '../platform/http/schemas/values.ts'

const PsrCategoryDefinition = ResponseObject(
  'PsrCategoryDefinition',
  'A category of needs of the Priority Services Register.',
  {
    code: Text(10, 'The code to send in `psrDetails.categories`.'),
    name: Text(200, 'The name of the category.'),
    grouping: Text(100, 'The group of categories it belongs to.'),
    extra: Choice(
      ['none', 'expiry-date', 'expiry-date-or-youngest-child'],
      'The additional field this category requires.',
    ),
  },
)

export const psrCategoriesRoute = route({
  operationId: 'listPsrCategories',
  method: 'GET',
  path: '/Customers/psr-categories',
  tag: 'Customers',
  summary: 'List the Priority Services Register categories',
  scope: 'customers:read',
  reply: ResponseObject('PsrCategoryList', 'All categories of the Priority Services Register.', {
    data: Type.Array(PsrCategoryDefinition, { maxItems: 100, description: 'The categories.' }),
  }),
  handle: (deps) => Promise.resolve(deps.psrCategories),
  present: (categories) => ({ data: [...categories] }),
})
