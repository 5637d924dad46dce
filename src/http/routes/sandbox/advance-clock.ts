import { advanceClock, maxAdvanceSeconds, maxAdvanceYears } from '../../../domain/sandbox/advance-clock.ts'
import { route } from '../../route.ts'
import { RequestObject, ResponseObject } from '../../wire/named.ts'
import { Timestamp, timestamp, WholeNumber } from '../../wire/values.ts'

export const advanceClockRoute = route({
  operationId: 'sandboxAdvanceClock',
  method: 'POST',
  path: '/Sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Move your sandbox clock forward',
  description: `Affects dates, quote expiry, age checks, contract URLs and the expiry of Priority Services Register entries, for all your data. Tokens, signatures, rate limits, retries and idempotency keys stay in real time. The clock only moves forward, by up to ${maxAdvanceYears} years in total.`,
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('AdvanceClockRequest', 'How far to move the clock.', {
    seconds: WholeNumber({
      minimum: 0,
      maximum: maxAdvanceSeconds,
      description: 'The number of seconds to move it by.',
    }),
  }),
  reply: ResponseObject('SandboxClock', 'Your sandbox clock.', {
    now: Timestamp('The time on your sandbox clock.'),
    offsetSeconds: WholeNumber({
      minimum: 0,
      maximum: maxAdvanceSeconds,
      description: 'How many seconds the clock is ahead of real time.',
    }),
  }),
  errors: ['validation_failed'],
  handle: (services, { caller, body }) => advanceClock(services, caller, body.seconds),
  present: ({ now, offsetSeconds }) => ({ now: timestamp(now), offsetSeconds }),
})
