import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rejectScope, rejectToken } from '../../partners/http/authenticate.ts'
import type { RateLimit } from '../../partners/http/rate-limit.ts'
import { DomainError, type ErrorCode, suggestName } from '../../platform/kernel/errors.ts'
import { errorResponses } from './error-responses.ts'

/** The request header with which a sandbox's callers ask for an error. */
export const testErrorHeader = 'Housebill-Test-Error'

/** The longest delay: longer than the time limit of most clients. */
const maxDelayMs = 30_000

/** How the API document describes the header's value. */
export const testErrorPattern = '^[a-z0-9_]+( *; *(when=(before|after)|delay=[0-9]{1,5}))*$'

/** An error that the caller asked for. */
export interface TestError {
  code: ErrorCode
  /** `before`: nothing happens. `after`: the operation takes effect, and only its response is lost. */
  when: 'before' | 'after'
  delayMs: number
}

/** What a real error would tell about the call. */
interface FailingCall {
  reply: FastifyReply
  scope: string
  calls: RateLimit
  requestsPerSecond: number | null
}

/**
 * The error that a request to a sandbox asks for; `codes` are those that the operation documents. Throws
 * `invalid_request` for a wrong header.
 */
export function readTestError(
  { headers }: FastifyRequest,
  { operationId, codes }: { operationId: string; codes: readonly ErrorCode[] },
): TestError | undefined {
  const header = headers[testErrorHeader.toLowerCase()]
  if (header === undefined) return undefined
  const [name = '', ...parameters] = String(header)
    .split(';')
    .map((part) => part.trim())
  const given = new Map(parameters.map((each) => /^(when)=(before|after)$|^(delay)=(\d{1,5})$/.exec(each)).map(partOf))
  const delayMs = Number(given.get('delay') ?? 0)
  if (!/^[a-z0-9_]+$/.test(name) || given.has('') || given.size < parameters.length || delayMs > maxDelayMs)
    throw wrongHeader(
      'wrong_format',
      `must be an error code, then if you wish "; when=before" or "; when=after", and "; delay=" with at most ${maxDelayMs} milliseconds, such as: service_unavailable; when=after; delay=500.`,
    )
  const code = codes.find((each) => each === name)
  if (code === undefined)
    throw wrongHeader(
      'not_allowed',
      `must name an error that ${operationId} documents. Use one of ${codes.join(', ')}.${suggestName(name, codes)}`,
    )
  const when = given.get('when') === 'after' ? 'after' : 'before'
  if (when === 'after' && errorResponses[code].status < 500)
    throw wrongHeader(
      'not_allowed',
      'has when=after, which needs internal_error or service_unavailable. Use one of them, or leave when out.',
    )
  return { code, when, delayMs }
}

/** A parameter's name and value; without a name if it is wrong. */
function partOf(match: RegExpExecArray | null): [name: string, value: string] {
  const [, when, moment, delay, milliseconds] = match ?? []
  return [when ?? delay ?? '', moment ?? milliseconds ?? '']
}

function wrongHeader(code: string, must: string): DomainError {
  const detail = `${testErrorHeader} ${must}`
  return new DomainError('invalid_request', detail, {
    fields: [{ pointer: `/header/${testErrorHeader}`, code, detail }],
  })
}

/** The `Retry-After` of the codes that have one, as the real errors set it. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  idempotency_in_flight: 2,
  service_unavailable: 2,
}

/** Waits for as long as the request says, then throws its error with the headers that the real one has. */
export async function throwTestError({ code, delayMs }: TestError, call: FailingCall): Promise<never> {
  if (delayMs > 0) await sleep(delayMs)
  throw errorOf(code, call)
}

function errorOf(code: ErrorCode, { reply, scope, calls, requestsPerSecond }: FailingCall): DomainError {
  switch (code) {
    case 'unauthenticated':
      // The real error comes before the call is counted.
      reply.removeHeader('RateLimit-Policy').removeHeader('RateLimit')
      return rejectToken(reply, 'it has expired')
    case 'rate_limited':
      return calls.reject(reply, requestsPerSecond)
    case 'insufficient_scope':
      return rejectScope(reply, scope)
  }
  const detail = `${errorResponses[code].meaning} You asked for this error with ${testErrorHeader}.`
  const wait = retryAfterSeconds[code]
  return new DomainError(code, detail, wait === undefined ? {} : { retryAfterSeconds: wait })
}
