import { route } from '../platform/http/route.ts'
import { ResponseObject } from '../platform/http/schemas/named.ts'
import { Id } from '../platform/http/schemas/values.ts'
import { CustomerPackages, costFields, presentCost, presentCustomerPackages } from '../quoting/pricing/cost.schema.ts'
import { presentWarnings, warningFields } from '../quoting/pricing/price-warning.schema.ts'
import { getCustomerTotalCost } from './customer-total-cost.ts'

export const customerTotalCostRoute = route({
  operationId: 'getCustomerTotalCost',
  method: 'GET',
  path: '/Customers/{id}/total-cost',
  tag: 'Customers',
  summary: "Get a customer's share of the cost",
  description:
    "The share is equal for all tenants and matches the tenant's entry in the quote's `costBreakdown`. For an expired quote, this returns the last prices.",
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerCost', "A customer's share of the cost.", {
    customerId: Id('The id of the customer.'),
    ...costFields,
    packages: CustomerPackages,
    ...warningFields,
  }),
  errors: ['packages_required'],
  handle: (deps, { caller, id }) => getCustomerTotalCost(deps, caller, id),
  present: ({ quote, share, packages }, at) => ({
    customerId: share.tenantId,
    ...presentCost(share),
    packages: presentCustomerPackages(packages),
    ...presentWarnings(quote, at),
  }),
})
