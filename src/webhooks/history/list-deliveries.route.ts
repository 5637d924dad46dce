import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described } from '../../platform/http/schemas/named.ts'
import { PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { CreatedAfter, CreatedBefore, parseOptionalInstant } from '../../platform/http/schemas/values.ts'
import {
  DeliveredTypeName,
  DeliveryObject,
  DeliveryStatusName,
  deliveryCursor,
  positionFromCursor,
  presentDelivery,
} from '../delivery.schema.ts'
import { keptDays } from './kept-payloads.ts'
import { listDeliveries } from './list-deliveries.ts'

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
