import { readClock } from '../../../domain/sandbox/read-clock.ts'
import { route } from '../../route.ts'
import { presentClock, SandboxClockObject } from '../../wire/sandbox/clock.ts'

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
