import Type from 'typebox'
import { redeliver } from '../../../domain/webhooks/redeliver.ts'
import { route } from '../../route.ts'
import { deliveryFields, presentDelivery } from '../../wire/delivery.ts'

export const redeliverRoute = route({
  operationId: 'redeliver',
  method: 'POST',
  path: '/Deliveries/{id}/redeliver',
  tag: 'Webhooks',
  summary: 'Send a message again',
  description:
    'Under the same webhook-id, to the present URL, with all retries; also one that arrived. One that waits for a retry is due at once; one that is being sent is sent again if that attempt fails.',
  idDescription: 'deliveryId',
  scope: 'webhooks:manage',
  reply: Type.Object(deliveryFields, { additionalProperties: false }),
  errors: ['webhook_disabled'],
  handle: (services, { caller, id }) => redeliver(services, caller, id),
  present: presentDelivery,
})
