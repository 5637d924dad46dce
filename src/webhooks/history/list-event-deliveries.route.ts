import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { maxWebhooks } from '../../platform/kernel/limits.ts'
import { DeliveryObject, presentDelivery } from '../delivery.schema.ts'
import { listEventDeliveries } from './list-event-deliveries.ts'

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
  handle: (services, { caller, id }) => listEventDeliveries(services, caller, id),
  present: (deliveries) => ({ data: deliveries.map(presentDelivery) }),
})
