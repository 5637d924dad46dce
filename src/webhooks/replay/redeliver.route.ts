import { route } from '../../platform/http/route.ts'
import { DeliveryObject, presentDelivery } from '../delivery.schema.ts'
import { redeliver } from './redeliver.ts'

export const redeliverRoute = route({
  operationId: 'redeliver',
  method: 'POST',
  path: '/Deliveries/{id}/redeliver',
  tag: 'Webhooks',
  summary: 'Redeliver a message',
  description:
    "Sends the message again to the webhook's current URL, with the same `webhook-id` and a full set of retries. Works for any delivery, including one that succeeded. A delivery that is waiting for a retry becomes due immediately. A delivery that is being sent is sent again only if that attempt fails.",
  idDescription: 'deliveryId',
  scope: 'webhooks:manage',
  reply: DeliveryObject,
  errors: ['webhook_disabled'],
  handle: (deps, { caller, id }) => redeliver(deps, caller, id),
  present: presentDelivery,
})
