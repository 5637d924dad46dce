import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Fault } from '../../domain/sandbox/faults/fault.ts'
import { DomainError, type ErrorCode } from '../../kernel/errors.ts'
import { errorResponses } from '../error-responses.ts'
import { rejectScope, rejectToken } from '../plugins/authenticate.ts'
import type { RateLimit } from '../plugins/rate-limit.ts'

/** What a real error of the code would tell about the call. */
interface FaultyCall {
  reply: FastifyReply
  scope: string
  calls: RateLimit
  requestsPerSecond: number | null
}

/** The `Retry-After` of the codes that have one, as the real errors set it. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  idempotency_in_flight: 2,
  service_unavailable: 2,
}

/** Waits for as long as the fault says, then throws its error with the headers that the real one has. Returns if the fault is only a delay. */
export async function actOutFault({ code, delayMs }: Fault, call: FaultyCall): Promise<void> {
  if (delayMs > 0) await sleep(delayMs)
  if (code !== null) throw errorOf(code, call)
}

function errorOf(code: ErrorCode, { reply, scope, calls, requestsPerSecond }: FaultyCall): DomainError {
  switch (code) {
    case 'unauthenticated':
      // The real error comes before the call is counted.
      reply.removeHeader('RateLimit-Policy').removeHeader('RateLimit')
      return rejectToken(reply, 'it has expired')
    case 'rate_limited':
      return calls.refuse(reply, requestsPerSecond)
    case 'insufficient_scope':
      return rejectScope(reply, scope)
  }
  const detail = `${errorResponses[code].meaning} You asked for this error with POST /Sandbox/faults.`
  const wait = retryAfterSeconds[code]
  return new DomainError(code, detail, wait === undefined ? {} : { retryAfterSeconds: wait })
}
