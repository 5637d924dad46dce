import type { Static } from 'typebox'
import { maxAdvanceSeconds, type SandboxClock } from '../../../domain/sandbox/advance-clock.ts'
import { ResponseObject } from '../named.ts'
import { Timestamp, timestamp, WholeNumber } from '../values.ts'

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
