import Type from 'typebox'
import { listEvents } from '../../../domain/event-log/list-events.ts'
import { eventTypes } from '../../../domain/events/event.ts'
import { route } from '../../route.ts'
import { EventObject, EventOrderName, eventCursor, placeFromCursor, presentEvent } from '../../wire/event.ts'
import { PageQuery } from '../../wire/page.ts'
import { CreatedAfter, CreatedBefore, NextCursor, optionalInstant } from '../../wire/values.ts'

export const listEventsRoute = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/Events',
  tag: 'Webhooks',
  summary: 'List events, or follow them',
  description:
    'Newest first unless told. With order=oldest there is always a nextCursor, also on an empty page: call again with it, now or later, and you get what has happened since, without a gap. An event is listed within about a second. Kept for 30 days.',
  scope: 'webhooks:manage',
  query: Type.Object(
    {
      type: Type.Optional(Type.Enum([...eventTypes], { type: 'string' })),
      quoteId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      createdAfter: Type.Optional(CreatedAfter),
      createdBefore: Type.Optional(CreatedBefore),
      order: Type.Optional(EventOrderName),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: Type.Object(
    {
      data: Type.Array(EventObject, { maxItems: 100 }),
      nextCursor: { ...NextCursor, description: 'never null with order=oldest' },
    },
    { additionalProperties: false },
  ),
  errors: ['validation_failed'],
  handle: (services, { caller, query }) => {
    const cursor = placeFromCursor(query.cursor, query.order)
    return listEvents(services, caller, {
      types: query.type === undefined ? eventTypes : [query.type],
      quoteId: query.quoteId,
      createdAfter: optionalInstant(query.createdAfter),
      createdBefore: optionalInstant(query.createdBefore),
      order: query.order ?? cursor?.order ?? 'newest',
      cursor,
      limit: query.limit ?? 20,
    })
  },
  present: ({ events, next }) => ({ data: events.map(presentEvent), nextCursor: eventCursor(next) }),
})
