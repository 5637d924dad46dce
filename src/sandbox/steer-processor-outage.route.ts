import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag } from '../platform/http/schemas/values.ts'
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
  handle: (services, { caller, body }) => steerProcessor(services, caller, { down: body.down }),
  present: ({ down }) => ({ down }),
})
