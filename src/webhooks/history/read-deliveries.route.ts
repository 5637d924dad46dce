import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, ResponseObject } from '../../platform/http/schemas/named.ts'
import { PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { CreatedAfter, CreatedBefore, parseOptionalInstant, Text } from '../../platform/http/schemas/values.ts'
import { keptAttempts } from '../delivery/delivery.ts'
import {
  Attempt,
  DeliveredTypeName,
  DeliveryObject,
  DeliveryStatusName,
  deliveryCursor,
  deliveryFields,
  positionFromCursor,
  presentAttempts,
  presentDelivery,
} from '../delivery.schema.ts'
import { maxWebhooks } from '../webhook-errors.ts'
import { keptDays } from './kept-payloads.ts'
import { getDelivery, listDeliveries, listEventDeliveries } from './read-deliveries.ts'

export const getDeliveryRoute = route({
  operationId: 'getDelivery',
  method: 'GET',
  path: '/Deliveries/{id}',
  tag: 'Webhooks',
  summary: 'Get a delivery with its attempts',
  description: 'Shows the headers and body that were sent and the responses received.',
  idDescription: 'deliveryId',
  scope: 'webhooks:manage',
  reply: ResponseObject('DeliveryWithAttempts', 'A delivery with what was sent and received.', {
    ...deliveryFields,
    body: Text(10_000, 'The exact bytes sent in every attempt.'),
    attempts: Type.Array(Attempt, {
      maxItems: keptAttempts,
      description: `The attempts, oldest first. If there are more than ${keptAttempts}, only the latest ${keptAttempts}.`,
    }),
  }),
  handle: (deps, { caller, id }) => getDelivery(deps, caller, id),
  present: (delivery) => ({
    ...presentDelivery(delivery),
    body: delivery.body,
    attempts: presentAttempts(delivery),
  }),
})

export const listDeliveriesRoute = route({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/Webhooks/{id}/deliveries',
  tag: 'Webhooks',
  summary: "List a webhook's deliveries, newest first",
  description: `Includes pending deliveries. Deliveries are kept for ${keptDays} days. \`GET /Deliveries/{id}\` shows the attempts.`,
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  query: Type.Object(
    {
      eventType: Type.Optional(described(DeliveredTypeName, 'Return deliveries of this type.')),
      status: Type.Optional(described(DeliveryStatusName, 'Return deliveries with this status.')),
      createdAfter: Type.Optional(CreatedAfter),
      createdBefore: Type.Optional(CreatedBefore),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('DeliveryList', DeliveryObject),
  errors: ['validation_failed'],
  handle: (deps, { caller, id, query }) =>
    listDeliveries(deps, caller, id, {
      type: query.eventType,
      status: query.status,
      createdAfter: parseOptionalInstant(query.createdAfter),
      createdBefore: parseOptionalInstant(query.createdBefore),
      after: positionFromCursor(query.cursor),
      limit: query.limit ?? 20,
    }),
  present: ({ deliveries, next }) => ({ data: deliveries.map(presentDelivery), nextCursor: deliveryCursor(next) }),
})

export const listEventDeliveriesRoute = route({
  operationId: 'listEventDeliveries',
  method: 'GET',
  path: '/Events/{id}/deliveries',
  tag: 'Webhooks',
  summary: "List an event's deliveries",
  description:
    'Returns one delivery, with its status, for each webhook subscribed to the event. The list is not paged. Deliveries of deleted webhooks are left out. The list is empty if no webhook was subscribed, and for a moment until the event is dispatched. `GET /Deliveries/{id}` shows the attempts.',
  idDescription: 'eventId',
  scope: 'webhooks:manage',
  reply: ResponseObject('EventDeliveries', "All of an event's deliveries.", {
    data: Type.Array(DeliveryObject, { maxItems: maxWebhooks, description: 'The deliveries.' }),
  }),
  handle: (deps, { caller, id }) => listEventDeliveries(deps, caller, id),
  present: (deliveries) => ({ data: deliveries.map(presentDelivery) }),
})
