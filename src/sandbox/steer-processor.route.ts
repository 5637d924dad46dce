import Type from 'typebox'
import { defaultProcessorBehaviour } from '../payments/sandbox-processor.ts'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag, WholeNumber } from '../platform/http/schemas/values.ts'
import { steerProcessor } from './steer-processor.ts'

const outageFields = { down: Flag('Whether the payment processor is down.') }

export const steerProcessorOutageRoute = route({
  operationId: 'sandboxSteerProcessorOutage',
  method: 'POST',
  path: '/Sandbox/payment-processor/outage',
  tag: 'Sandbox',
  summary: 'Take the payment processor down or bring it back',
  description:
    'Applies to your customers only, until you change it, and persists across restarts. While the processor is down, every call that needs it returns 503.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SimulateOutageRequest', 'Whether to take the payment processor down.', outageFields),
  reply: ResponseObject('SimulatedOutage', 'Whether the payment processor is down.', outageFields),
  errors: ['service_unavailable'],
  handle: (deps, { caller, body }) => steerProcessor(deps, caller, { down: body.down }),
  present: ({ down }) => ({ down }),
})

const DelaySeconds = WholeNumber({ minimum: 0, maximum: 600, description: 'How many seconds each webhook is delayed.' })
const Copies = WholeNumber({ minimum: 1, maximum: 5, description: 'How often each webhook is sent.' })
const Order = Choice(['sent', 'reversed'], 'The order in which delayed webhooks arrive.')
const Lost = Flag('Whether webhooks are dropped.')

export const steerProcessorWebhooksRoute = route({
  operationId: 'sandboxSteerProcessorWebhooks',
  method: 'POST',
  path: '/Sandbox/payment-processor/webhooks',
  tag: 'Sandbox',
  summary: "Delay, duplicate, reorder or drop the payment processor's webhooks",
  description:
    'Applies to your customers only, from the next change on, and persists across restarts. Fields you leave out return to their defaults, so `{}` restores normal behaviour. While any setting is not the default, Housebill learns of outcomes only from these webhooks, not from the response to the sandbox call that caused them.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SimulateProcessorWebhooksRequest', "How the payment processor's webhooks arrive.", {
    delaySeconds: Type.Optional(DelaySeconds),
    copies: Type.Optional(Copies),
    order: Type.Optional(Order),
    lost: Type.Optional(Lost),
  }),
  reply: ResponseObject('SimulatedProcessorWebhooks', "How the payment processor's webhooks arrive.", {
    delaySeconds: DelaySeconds,
    copies: Copies,
    order: Order,
    lost: Lost,
  }),
  errors: ['service_unavailable'],
  handle: (deps, { caller, body }) => {
    const { down: _asItIs, ...prompt } = defaultProcessorBehaviour
    return steerProcessor(deps, caller, { ...prompt, ...body })
  },
  present: ({ delaySeconds, copies, order, lost }) => ({ delaySeconds, copies, order, lost }),
})
