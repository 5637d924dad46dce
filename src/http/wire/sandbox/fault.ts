import type { Static } from 'typebox'
import {
  type Fault,
  faultLifetimeMinutes,
  faultMoments,
  maxDelayMs,
  maxTimes,
} from '../../../domain/sandbox/faults/fault.ts'
import type { ErrorCode } from '../../../kernel/errors.ts'
import { errorResponses } from '../../error-responses.ts'
import { NamedChoice, Nullable, ResponseObject } from '../named.ts'
import { Text, Timestamp, WholeNumber } from '../values.ts'

/** When a fault acts. */
export const FaultMomentName = NamedChoice(
  'FaultMoment',
  faultMoments,
  'With `before`, the operation does nothing. With `after`, it takes effect, and only its response is lost.',
)
export const FaultDelay = WholeNumber({
  minimum: 0,
  maximum: maxDelayMs,
  description: 'How many milliseconds the call waits before it fails or, if there is no error, goes on.',
})

/** A fault in a response. */
export const FaultObject = ResponseObject('SandboxFault', 'An error or a delay that you asked for.', {
  operation: Text(100, 'The operationId of the calls that are affected.'),
  status: Nullable(
    WholeNumber({ minimum: 400, maximum: 599, description: 'The HTTP status; null if calls are only slow.' }),
  ),
  code: Nullable(Text(100, 'The error code; null if calls are only slow.')),
  delayMs: FaultDelay,
  acts: FaultMomentName,
  timesLeft: WholeNumber({ minimum: 0, maximum: maxTimes, description: 'How many calls will still be affected.' }),
  expiresAt: Timestamp(`When the fault ends by itself: after ${faultLifetimeMinutes} minutes of real time.`),
})

export function presentFault({
  operationId,
  code,
  delayMs,
  acts,
  remaining,
  expiresAt,
}: Fault): Static<typeof FaultObject> {
  return {
    operation: operationId,
    status: code === null ? null : statusOf(code),
    code,
    delayMs,
    acts,
    timesLeft: remaining,
    expiresAt: expiresAt.toISOString(),
  }
}

export function statusOf(code: ErrorCode): number {
  return errorResponses[code].status
}
