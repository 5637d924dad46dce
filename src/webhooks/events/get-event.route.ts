import { route } from '../../platform/http/route.ts'
import { EventObject, presentEvent } from '../event.schema.ts'
import { keptDays } from '../history/kept-payloads.ts'
import { getEvent } from './get-event.ts'

export const getEventRoute = route({
  operationId: 'getEvent',
  method: 'GET',
  path: '/Events/{id}',
  tag: 'Webhooks',
  summary: 'Get an event',
  description: `Returns the event as it is delivered to webhooks. Events are kept for ${keptDays} days.`,
  idDescription: 'eventId',
  scope: 'webhooks:manage',
  reply: EventObject,
  handle: (services, { caller, id }) => getEvent(services, caller, id),
  present: presentEvent,
})
