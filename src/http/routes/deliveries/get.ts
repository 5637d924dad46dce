import Type from 'typebox'
import { keptAttempts } from '../../../domain/webhooks/delivery/delivery.ts'
import { getDelivery } from '../../../domain/webhooks/history/get-delivery.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Text } from '../../wire/values.ts'
import { Attempt, deliveryFields, presentAttempts, presentDelivery } from '../../wire/webhooks/delivery.ts'

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
