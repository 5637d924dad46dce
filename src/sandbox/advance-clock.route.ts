import type { Static } from 'typebox'
import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { GivenTimestamp, Timestamp, timestamp, WholeNumber } from '../platform/http/schemas/values.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { requireInstant } from '../platform/kernel/instant.ts'
import { advanceClock, maxAdvanceSeconds, maxAdvanceYears, readClock, type SandboxClock } from './advance-clock.ts'

const SandboxClockObject = ResponseObject('SandboxClock', 'Your sandbox clock.', {
  now: Timestamp('The time on your sandbox clock.'),
  offsetSeconds: WholeNumber({
    minimum: 0,
    maximum: maxAdvanceSeconds,
    description: 'How many seconds the clock is ahead of real time.',
  }),
})

function presentClock({ now, offsetSeconds }: SandboxClock): Static<typeof SandboxClockObject> {
  return { now: timestamp(now), offsetSeconds }
}

export const readClockRoute = route({
  operationId: 'sandboxReadClock',
  method: 'GET',
  path: '/Sandbox/clock',
  tag: 'Sandbox',
  summary: 'Read your sandbox clock',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: SandboxClockObject,
  handle: (deps, { caller }) => readClock(deps, caller),
  present: presentClock,
})

function notBoth(body: unknown): FieldError[] {
  // The schema reports a body that is no object.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const { seconds, to } = body as { seconds?: unknown; to?: unknown }
  if (seconds === undefined || to === undefined) return []
  return [{ pointer: '/seconds', code: 'not_allowed', detail: 'Send either seconds or to.' }]
}

export const advanceClockRoute = route({
  operationId: 'sandboxAdvanceClock',
  method: 'POST',
  path: '/Sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Move your sandbox clock forward',
  description: `Send either \`seconds\` or \`to\`. Affects dates, quote expiry, age checks, contract URLs and the expiry of Priority Services Register entries, for all your data. Tokens, signatures, rate limits, retries and idempotency keys stay in real time. The clock only moves forward, by up to ${maxAdvanceYears} years in total.`,
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject(
    'AdvanceClockRequest',
    'How far to move the clock.',
    {
      seconds: Type.Optional(
        WholeNumber({ minimum: 0, maximum: maxAdvanceSeconds, description: 'The number of seconds to move it by.' }),
      ),
      to: Type.Optional(GivenTimestamp('The time that the clock is to show.')),
    },
    { minProperties: 1 },
  ),
  refine: notBoth,
  reply: SandboxClockObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, body }) =>
    advanceClock(
      deps,
      caller,
      body.to === undefined ? { seconds: body.seconds ?? 0 } : { to: requireInstant(body.to) },
    ),
  present: presentClock,
})
