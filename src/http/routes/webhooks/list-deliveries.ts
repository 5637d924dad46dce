import Type from 'typebox'
import { keptDays } from '../../../domain/webhooks/history/kept-payloads.ts'
import { listDeliveries } from '../../../domain/webhooks/history/list-deliveries.ts'
import { route } from '../../route.ts'
import {
  DeliveredTypeName,
  DeliveryStatusName,
  deliveryCursor,
  deliveryFields,
  positionFromCursor,
  presentDelivery,
} from '../../wire/delivery.ts'
import { PageQuery } from '../../wire/page.ts'
import { CreatedAfter, CreatedBefore, NextCursor, parseOptionalInstant } from '../../wire/values.ts'

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
      eventType: Type.Optional(DeliveredTypeName),
      status: Type.Optional(DeliveryStatusName),
      createdAfter: Type.Optional(CreatedAfter),
      createdBefore: Type.Optional(CreatedBefore),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: Type.Object(
    {
      data: Type.Array(Type.Object(deliveryFields, { additionalProperties: false }), { maxItems: 100 }),
      nextCursor: NextCursor,
    },
    { additionalProperties: false },
  ),
  errors: ['validation_failed'],
  handle: (services, { caller, id, query }) =>
    listDeliveries(services, caller, id, {
      type: query.eventType,
      status: query.status,
      createdAfter: parseOptionalInstant(query.createdAfter),
      createdBefore: parseOptionalInstant(query.createdBefore),
      after: positionFromCursor(query.cursor),
      limit: query.limit ?? 20,
    }),
  present: ({ deliveries, next }) => ({ data: deliveries.map(presentDelivery), nextCursor: deliveryCursor(next) }),
})
