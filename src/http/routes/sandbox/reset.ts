import { resetSandbox } from '../../../domain/sandbox/reset/reset-sandbox.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Count } from '../../wire/values.ts'

export const resetRoute = route({
  operationId: 'sandboxReset',
  method: 'POST',
  path: '/Sandbox/reset',
  tag: 'Sandbox',
  summary: 'Delete everything that you made in the sandbox',
  description:
    'Deletes your quotes, customers, contracts, payments, events, deliveries, stored responses, faults and listed requests, sets your clock back to real time, and restores prices and simulated systems. Your credentials, your webhooks with their secrets and the audit log stay. If the call fails, repeat it.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: ResponseObject('SandboxReset', 'What was deleted.', {
    quotes: Count('The number of quotes that were deleted, with everything that belongs to them.'),
    events: Count('The number of events that were deleted, with their deliveries.'),
  }),
  errors: ['service_unavailable'],
  handle: (services, { caller }) => resetSandbox(services, caller),
  present: ({ quotes, events }) => ({ quotes, events }),
})
