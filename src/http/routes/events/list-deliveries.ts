import Type from 'typebox'
import { listEventDeliveries } from '../../../domain/webhooks/list-event-deliveries.ts'
import { mostWebhooks } from '../../../domain/webhooks/subscription.ts'
import { route } from '../../route.ts'
import { deliveryFields, presentDelivery } from '../../wire/delivery.ts'

export const listEventDeliveriesRoute = route({
  operationId: 'listEventDeliveries',
  method: 'GET',
  path: '/Events/{id}/deliveries',
  tag: 'Webhooks',
  summary: 'List to which webhooks an event was sent',
  description:
    'One delivery for each webhook that wanted it, all in one answer, and how it stands. Those of webhooks deleted since are left out. Empty where no webhook wanted it, and for the moment until an event is taken up. GET /Deliveries/{id} shows the attempts.',
  idDescription: 'eventId',
  scope: 'webhooks:manage',
  reply: Type.Object(
    { data: Type.Array(Type.Object(deliveryFields, { additionalProperties: false }), { maxItems: mostWebhooks }) },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => listEventDeliveries(services, caller, id),
  present: (deliveries) => ({ data: deliveries.map(presentDelivery) }),
})
