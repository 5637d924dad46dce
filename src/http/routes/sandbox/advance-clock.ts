import Type from 'typebox'
import { advanceClock } from '../../../domain/sandbox/advance-clock.ts'
import { route } from '../../route.ts'
import { Timestamp, timestamp, Whole } from '../../wire/values.ts'

export const advanceClockRoute = route({
  operationId: 'sandboxAdvanceClock',
  method: 'POST',
  path: '/Sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Move your sandbox clock forward',
  description:
    'Moves dates, expiry, age, contract URLs and register expiry of everything of yours; tokens, signatures, limits, retries and idempotency keep real time. Forward only, 10 years in all.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: Type.Object({ seconds: Whole({ minimum: 0, maximum: 315_576_000 }) }, { additionalProperties: false }),
  reply: Type.Object(
    { now: Timestamp, offsetSeconds: Whole({ minimum: 0, maximum: 315_576_000 }) },
    { additionalProperties: false },
  ),
  errors: ['validation_failed'],
  handle: (services, { caller, body }) => advanceClock(services, caller, body.seconds),
  present: ({ now, offsetSeconds }) => ({ now: timestamp(now), offsetSeconds }),
})
