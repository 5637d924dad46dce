import Type from 'typebox'
import { route } from '../../route.ts'

const Category = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    grouping: Type.String(),
    extra: Type.Enum(['none', 'expiry-date', 'expiry-date-or-youngest-child'], {
      description: 'what the category needs beside its code',
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
  reply: Type.Object({ data: Type.Array(Category) }, { additionalProperties: false }),
  handle: (services) => Promise.resolve(services.psrCategories),
  present: (categories) => ({ data: [...categories] }),
})
