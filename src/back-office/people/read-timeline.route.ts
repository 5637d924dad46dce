import Type, { type Static } from 'typebox'
import { auditActors } from '../../platform/audit/audit-entry.ts'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { findCustomerOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { maxTimelineEntries, readTimeline, type TimelineEntry } from './read-timeline.ts'

const TimelineActor = ResponseObject('TimelineActor', 'Who did it.', {
  actor: Choice(auditActors, 'Who did it. `database`: somebody who was connected to the database directly.'),
  credential: Nullable(Text(255, 'The client id or the login that was used; null if there was none.')),
  operation: Nullable(Text(255, 'The operation, command or job; null if there was none.')),
  requestId: Nullable(Text(255, 'The id of the request; null if it was not a request.')),
})

const CustomerTimelineEntry = ResponseObject('CustomerTimelineEntry', 'Something that happened.', {
  at: Timestamp('When it happened. In a sandbox whose clock was moved, events have the time on that clock.'),
  what: Text(
    200,
    'The type of an event, such as `customer.contract.changed`; what was done, such as `customer changed`; or an e-mail and what became of it, such as `e-mail link sent`.',
  ),
  by: Nullable(TimelineActor),
  fields: Type.Array(Text(100, 'The name of a field.'), {
    maxItems: 100,
    description: 'The names of the fields that changed or were read, without their values.',
  }),
  data: Nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'What the partner was told; null unless it is an event.' },
    ),
  ),
})

/** @internal Tests type responses with it. */
export const CustomerTimeline = ResponseObject('CustomerTimeline', 'What happened to a customer.', {
  entries: Type.Array(CustomerTimelineEntry, {
    maxItems: 3 * maxTimelineEntries,
    description: `The latest ${maxTimelineEntries.toLocaleString('en-GB')} events, as many entries of the audit log and as many e-mails, oldest first.`,
  }),
})

function presentTimelineEntry(entry: TimelineEntry): Static<typeof CustomerTimelineEntry> {
  const at = timestamp(entry.at)
  if ('event' in entry) return { at, what: entry.event.type, by: null, fields: [], data: entry.event.data }
  if ('mail' in entry) {
    const { kind, outcome } = entry.mail
    return { at, what: `e-mail ${kind} ${outcome ?? 'pending'}`, by: null, fields: [], data: null }
  }
  const { actor, credential, operation, requestId, subjectType, action, fields } = entry.audit
  return { at, what: `${subjectType} ${action}`, by: { actor, credential, operation, requestId }, fields, data: null }
}

export const readTimelineRoute = partnerRoute({
  operationId: 'readTimeline',
  path: '/Customers/{customerId}/timeline',
  tag: 'Customers',
  summary: 'Read what happened to a customer',
  description:
    'Returns what happened to a customer of any partner and by whom, oldest first: the events that the partner was told, the entries of the audit log, and the e-mails. Values are never part of it, only the names of what changed. Without the scope `psr:read`, nothing in it says that there are Priority Services Register details.',
  idDescription: 'customerId',
  scope: 'support:read',
  reply: CustomerTimeline,
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, scopes }) => {
    const customerId = parameter('customerId')
    if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
    return readTimeline(deps, caller, { customerId, withPsr: scopes.includes('psr:read') })
  },
  present: (entries) => ({ entries: entries.map(presentTimelineEntry) }),
})
