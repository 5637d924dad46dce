import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, Flag, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { AcknowledgeRequest } from '../contract-feed/acknowledge.schema.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { acknowledgePsr, findPsrOwner } from './acknowledge-psr.ts'

export const acknowledgePsrRoute = partnerRoute({
  method: 'POST',
  operationId: 'acknowledgePriorityServices',
  path: '/PriorityServices/{customerId}/acknowledge',
  tag: 'Priority Services Register',
  summary: 'Acknowledge a version of a registration',
  description:
    'Says that you have passed on this version, and under which reference. Repeating the call is harmless. A later version is unacknowledged again.',
  idDescription: 'The id of the customer',
  scope: 'psr:read',
  body: AcknowledgeRequest,
  reply: ResponseObject('AcknowledgedRegistration', 'A version of a registration that was acknowledged.', {
    customerId: Id('The id of the customer.'),
    version: Count('The version.'),
    reference: Text(200, 'Your reference.'),
    acknowledgedAt: Timestamp('When it was acknowledged the first time.'),
    isLatest: Flag('Whether this is the latest version. If not, read the feed again.'),
  }),
  errors: ['validation_failed', 'acknowledged_otherwise'],
  owner: (deps, parameter) => findPsrOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, body }) => {
    const customerId = parameter('customerId')
    if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
    return acknowledgePsr(deps, caller, { customerId, ...body })
  },
  present: ({ acknowledgedAt, ...acknowledged }) => ({ ...acknowledged, acknowledgedAt: timestamp(acknowledgedAt) }),
})
