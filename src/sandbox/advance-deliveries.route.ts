import { route } from '../platform/http/route.ts'
import { RequestObject } from '../platform/http/schemas/named.ts'
import { WholeNumber } from '../platform/http/schemas/values.ts'
import { presentWebhook, WebhookObject } from '../webhooks/webhook.schema.ts'
import { advanceDeliveries, maxDeliverySeconds } from './advance-deliveries.ts'

export const advanceDeliveriesRoute = route({
  operationId: 'sandboxAdvanceDeliveries',
  method: 'POST',
  path: '/Sandbox/webhooks/{id}/advance',
  tag: 'Sandbox',
  summary: "Move a webhook's retries forward in time",
  description:
    'Retries of the webhook become due as many seconds earlier, and its failures become as much older, as if every attempt in that time had failed. The webhook is disabled after five days, by the next attempt that fails.',
  idDescription: 'webhookId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('AdvanceDeliveriesRequest', 'How far to move the retries.', {
    seconds: WholeNumber({
      minimum: 1,
      maximum: maxDeliverySeconds,
      description: 'The number of seconds to move them by.',
    }),
  }),
  reply: WebhookObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, id, body }) => advanceDeliveries(deps, caller, { webhookId: id, seconds: body.seconds }),
  present: presentWebhook,
})
