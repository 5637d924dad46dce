import Type from 'typebox'
import { route } from '../../route.ts'
import { Text } from '../../wire/values.ts'

const Category = Type.Object(
  {
    code: Text(10),
    name: Text(200),
    grouping: Text(100),
    extra: Type.Enum(['none', 'expiry-date', 'expiry-date-or-youngest-child'], {
      description: 'The additional field this category requires.',
    }),
  },
  { additionalProperties: false },
)

export const psrCategoriesRoute = route({
  operationId: 'listPsrCategories',
  method: 'GET',
  path: '/Customers/psr-categories',
  tag: 'Customers',
  summary: 'List the Priority Services Register categories',
  scope: 'customers:read',
  reply: Type.Object({ data: Type.Array(Category, { maxItems: 100 }) }, { additionalProperties: false }),
  handle: (services) => Promise.resolve(services.psrCategories),
  present: (categories) => ({ data: [...categories] }),
})
