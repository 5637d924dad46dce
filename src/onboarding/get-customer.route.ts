import { route } from '../platform/http/route.ts'
import { CustomerObject, presentCustomer } from './customer.schema.ts'
import { getCustomer } from './get-customer.ts'

export const getCustomerRoute = route({
  operationId: 'getCustomer',
  method: 'GET',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: 'Get a customer',
  description: 'A customer is a tenant of a quote. The customerId and the tenantId are the same id.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: CustomerObject,
  handle: (deps, { caller, id }) => getCustomer(deps, caller, id),
  present: presentCustomer,
})
