import type { Problem, TokenError } from './api-types.ts'
import type { Call, CallOptions } from './call.ts'
import { ApiError, ConnectionError, type ErrorOrigin, type HousebillError, TokenRefusedError } from './errors.ts'
import { parseRetryAfter } from './retry.ts'

/** Where and how requests are sent. */
export interface Transport {
  /** Without a slash at the end. */
  baseUrl: string
  fetch: typeof fetch
  timeoutMs: number
  userAgent: string
}

/** The body of a successful response, or why there is none. */
export type Outcome = { body: unknown } | { error: HousebillError }

/** Sends a call once. Throws only the reason of the caller's own signal. */
export async function exchange(
  { baseUrl, fetch, timeoutMs, userAgent }: Transport,
  call: Call,
  headers: Readonly<Record<string, string>>,
  { signal }: CallOptions,
): Promise<Outcome> {
  const { operationId, method, path, query = {}, body } = call
  const limit = AbortSignal.timeout(timeoutMs)
  const request: RequestInit = {
    method,
    headers: {
      Accept: 'application/json',
      'User-Agent': userAgent,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    // The token must not follow a redirect, and no operation has one.
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  try {
    const response = await fetch(`${baseUrl}${path}${searchOf(query)}`, request)
    return readOutcome(operationId, response, await response.text())
  } catch (cause) {
    signal?.throwIfAborted()
    const why = limit.aborted ? `no response within ${timeoutMs} ms` : 'no connection, or it was lost'
    return { error: new ConnectionError(why, { operationId }, cause) }
  }
}

/** The part of a URL after its path: empty without members. */
export function searchOf(query: NonNullable<Call['query']> = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`
}

function readOutcome(operationId: string, response: Response, text: string): Outcome {
  const { status, headers } = response
  const retryAfterSeconds = parseRetryAfter(headers.get('Retry-After'), Date.now())
  const about: ErrorOrigin = { operationId, status, retryAfterSeconds }
  const body = parseJson(text)
  if (body !== undefined && response.ok) return { body }
  if (isProblem(body)) return { error: new ApiError(body, about) }
  if (isTokenError(body)) return { error: new TokenRefusedError(body, about) }
  return { error: new ConnectionError(`the response with status ${status} is not from Housebill`, about) }
}

function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isProblem(body: object | undefined): body is Problem {
  return body !== undefined && 'code' in body && 'requestId' in body
}

function isTokenError(body: object | undefined): body is TokenError {
  return body !== undefined && 'error' in body && 'error_description' in body
}
