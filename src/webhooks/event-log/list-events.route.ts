import Type from 'typebox'
import { eventTypes } from '../../events/event.ts'
import { route } from '../../platform/http/route.ts'
import { described } from '../../platform/http/schemas/named.ts'
import { PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import {
  CreatedAfter,
  CreatedBefore,
  GivenId,
  NextCursor,
  parseOptionalInstant,
} from '../../platform/http/schemas/values.ts'
import {
  EventObject,
  EventOrderName,
  EventTypeName,
  eventCursor,
  eventCursorFrom,
  presentEvent,
} from '../event.schema.ts'
import { keptDays } from '../history/kept-payloads.ts'
import { getEvent, listEvents } from './list-events.ts'

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
  handle: (deps, { caller, id }) => getEvent(deps, caller, id),
  present: presentEvent,
})

export const listEventsRoute = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/Events',
  tag: 'Webhooks',
  summary: 'List or follow events',
  description: `Returns the newest events first by default. To follow events, use \`order=oldest\`: it always returns a \`nextCursor\`, even on an empty page. Call again with that cursor, now or later, to get everything that has happened since, without gaps. An event is listed within about a second and kept for ${keptDays} days.`,
  scope: 'webhooks:manage',
  query: Type.Object(
    {
      type: Type.Optional(described(EventTypeName, 'Return events of this type.')),
      quoteId: Type.Optional(GivenId('Return events about this quote.')),
      createdAfter: Type.Optional(CreatedAfter),
      createdBefore: Type.Optional(CreatedBefore),
      order: Type.Optional(EventOrderName),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf(
    'EventList',
    EventObject,
    described(NextCursor, 'Send this as `cursor` to get the next page. Never null with `order=oldest`.'),
  ),
  errors: ['validation_failed'],
  handle: (deps, { caller, query }) => {
    const cursor = eventCursorFrom(query.cursor, query.order)
    return listEvents(deps, caller, {
      types: query.type === undefined ? eventTypes : [query.type],
      quoteId: query.quoteId,
      createdAfter: parseOptionalInstant(query.createdAfter),
      createdBefore: parseOptionalInstant(query.createdBefore),
      order: query.order ?? cursor?.order ?? 'newest',
      cursor,
      limit: query.limit ?? 20,
    })
  },
  present: ({ events, next }) => ({ data: events.map(presentEvent), nextCursor: eventCursor(next) }),
})
