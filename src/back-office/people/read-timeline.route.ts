import { isId } from '../../platform/kernel/ids.ts'
import { operatorReadOfPartner } from '../http/operator-route.ts'
import { findCustomerOwner } from './find-customer-owner.ts'
import { readTimeline } from './read-timeline.ts'
import { CustomerTimeline, presentTimelineEntry } from './timeline.schema.ts'

export const readTimelineRoute = operatorReadOfPartner({
  operationId: 'readTimeline',
  path: '/Customers/{customerId}/timeline',
  tag: 'Customers',
  summary: 'Read what happened to a customer',
  description:
    'Returns what happened to a customer of any partner and by whom, oldest first: the events that the partner was told, and the entries of the audit log. Values are never part of it, only the names of what changed. Without the scope `psr:read`, nothing in it says that there are Priority Services Register details.',
  idDescription: 'customerId',
  scope: 'support:read',
  reply: CustomerTimeline,
  owner: (services, parameter) => findCustomerOwner(services, parameter('customerId')),
  reads: (services, caller, { parameter, scopes }) => {
    const customerId = parameter('customerId')
    if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
    return readTimeline(services, caller, { customerId, withPsr: scopes.includes('psr:read') })
  },
  present: (entries) => ({ entries: entries.map(presentTimelineEntry) }),
})
