import Type from 'typebox'
import { customerTotalCost } from '../../../domain/pricing/customer-total-cost.ts'
import { route } from '../../route.ts'
import { CostLines, costFields, presentCost, presentShareLines, Warnings, warningsOf } from '../../wire/cost.ts'
import { Id } from '../../wire/values.ts'

export const customerTotalCostRoute = route({
  operationId: 'getCustomerTotalCost',
  method: 'GET',
  path: '/Customers/{id}/total-cost',
  tag: 'Customers',
  summary: "Read the customer's equal share of the cost",
  description: "Equals the tenant's element in the quote's total-cost. On an expired quote it shows the last prices.",
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: Type.Object(
    { customerId: Id(), ...costFields, packages: CostLines, warnings: Warnings },
    { additionalProperties: false },
  ),
  errors: ['packages_required'],
  handle: (services, { caller, id }) => customerTotalCost(services, caller, id),
  present: ({ price, share }) => ({
    customerId: share.tenantId,
    ...presentCost(share),
    packages: presentShareLines(price, share),
    warnings: warningsOf(price),
  }),
})
