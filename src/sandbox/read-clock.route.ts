import { route } from '../platform/http/route.ts'
import { presentClock, SandboxClockObject } from './clock.schema.ts'
import { readClock } from './read-clock.ts'

export const readClockRoute = route({
  operationId: 'sandboxReadClock',
  method: 'GET',
  path: '/Sandbox/clock',
  tag: 'Sandbox',
  summary: 'Read your sandbox clock',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: SandboxClockObject,
  handle: (services, { caller }) => readClock(services, caller),
  present: presentClock,
})
