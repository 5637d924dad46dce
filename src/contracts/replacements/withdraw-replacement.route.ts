import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id } from '../../platform/http/schemas/values.ts'
import { withdrawReplacement } from './withdraw-replacement.ts'

export const withdrawReplacementRoute = route({
  operationId: 'withdrawReplacement',
  method: 'POST',
  path: '/Customers/{id}/withdraw-replacement',
  tag: 'Customers',
  summary: 'Withdraw a replacement that is not accepted',
  description:
    "Removes the tenant who was to take over this customer's share, with their data. Possible until they accept; then they can cancel their own contract. This customer's contract goes on as agreed.",
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('WithdrawnReplacement', 'A replacement that was withdrawn.', {
    customerId: Id('The id of the customer, whose contract goes on.'),
    withdrawn: Id('The id of the tenant who was removed.'),
  }),
  errors: ['replacement_not_possible'],
  handle: (services, { caller, id }) => withdrawReplacement(services, caller, id),
  present: (withdrawn) => withdrawn,
})
