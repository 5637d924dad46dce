import type { Static } from 'typebox'
import { ResponseObject } from '../platform/http/schemas/named.ts'
import { Timestamp, timestamp, WholeNumber } from '../platform/http/schemas/values.ts'
import { maxAdvanceSeconds, type SandboxClock } from './advance-clock.ts'

export const SandboxClockObject = ResponseObject('SandboxClock', 'Your sandbox clock.', {
  now: Timestamp('The time on your sandbox clock.'),
  offsetSeconds: WholeNumber({
    minimum: 0,
    maximum: maxAdvanceSeconds,
    description: 'How many seconds the clock is ahead of real time.',
  }),
})

export function presentClock({ now, offsetSeconds }: SandboxClock): Static<typeof SandboxClockObject> {
  return { now: timestamp(now), offsetSeconds }
}
