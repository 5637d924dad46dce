import Type from 'typebox'
import { getDelivery } from '../../../domain/webhooks/get-delivery.ts'
import { route } from '../../route.ts'
import { Attempt, deliveryFields, presentAttempts, presentDelivery } from '../../wire/delivery.ts'
import { Text } from '../../wire/values.ts'

export const getDeliveryRoute = route({
  operationId: 'getDelivery',
  method: 'GET',
  path: '/Deliveries/{id}',
  tag: 'Webhooks',
  summary: 'Read a delivery with every attempt',
  description: 'What was sent, header by header, and what came back.',
  idDescription: 'deliveryId',
  scope: 'webhooks:manage',
  reply: Type.Object(
    {
      ...deliveryFields,
      body: Text(10_000, 'what is sent at every attempt, byte for byte'),
      attempts: Type.Array(Attempt, { maxItems: 100, description: 'oldest first; of very many, the latest 100' }),
    },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => getDelivery(services, caller, id),
  present: (delivery) => ({
    ...presentDelivery(delivery),
    body: delivery.body,
    attempts: presentAttempts(delivery),
  }),
})
