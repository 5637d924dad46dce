import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { revokeLinks } from './revoke-links.ts'

export const revokeLinksRoute = route({
  operationId: 'revokeLinks',
  method: 'POST',
  path: '/Customers/{id}/revoke-links',
  tag: 'Customers',
  summary: "Revoke the links to a customer's documents",
  description:
    'Every link to a contract or a preview of this customer that was made until now stops working at once, for example because it was sent to somebody else. New links work.',
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('RevokedLinks', 'Links that no longer work.', {
    customerId: Id('The id of the customer.'),
    revokedAt: Timestamp('Links that were made until then open nothing.'),
  }),
  handle: (services, { caller, id }) => revokeLinks(services, caller, id),
  present: ({ customerId, revokedAt }) => ({ customerId, revokedAt: timestamp(revokedAt) }),
})
