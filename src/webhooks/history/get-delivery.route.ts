import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text } from '../../platform/http/schemas/values.ts'
import { keptAttempts } from '../delivery/delivery.ts'
import { Attempt, deliveryFields, presentAttempts, presentDelivery } from '../delivery.schema.ts'
import { getDelivery } from './get-delivery.ts'

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
  handle: (services, { caller, id }) => getDelivery(services, caller, id),
  present: (delivery) => ({
    ...presentDelivery(delivery),
    body: delivery.body,
    attempts: presentAttempts(delivery),
  }),
})
