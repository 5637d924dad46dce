import Type from 'typebox'
import { undisturbed } from '../../../domain/payments/sandbox-processor.ts'
import { steerProcessor } from '../../../domain/sandbox/steer-processor.ts'
import { route } from '../../route.ts'
import { Whole } from '../../wire/values.ts'

const DelaySeconds = Whole({ minimum: 0, maximum: 600 })
const Copies = Whole({ minimum: 1, maximum: 5 })
const Order = Type.Enum(['sent', 'reversed'])

export const steerProcessorWebhooksRoute = route({
  operationId: 'sandboxSteerProcessorWebhooks',
  method: 'POST',
  path: '/Sandbox/payment-processor/webhooks',
  tag: 'Sandbox',
  summary: "Delay, double, reverse or lose the payment processor's webhooks",
  description:
    "For your customers only, from the next change on, and kept over restarts. What is left out is as it is by default, so {} restores all. While anything is steered, outcomes reach Housebill by these webhooks alone and not with the steering call's answer.",
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: Type.Object(
    {
      delaySeconds: Type.Optional(DelaySeconds),
      copies: Type.Optional(Copies),
      order: Type.Optional(Order),
      lost: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  reply: Type.Object(
    { delaySeconds: DelaySeconds, copies: Copies, order: Order, lost: Type.Boolean() },
    { additionalProperties: false },
  ),
  errors: ['service_unavailable'],
  handle: (services, { caller, body }) => {
    const { down: _asItIs, ...prompt } = undisturbed
    return steerProcessor(services, caller, { ...prompt, ...body })
  },
  present: ({ delaySeconds, copies, order, lost }) => ({ delaySeconds, copies, order, lost }),
})
