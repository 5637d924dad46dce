import { consoleHeader } from './console-header.ts'
import { type CallResult, hasUnknownOutcome } from './failure.ts'
import { type Operations, operations, type Problem } from './partner-api.ts'

type OperationName = keyof Operations

/** Makes one API call, typed as the API document describes it. Never throws; failures are returned. */
export type Call = <Name extends OperationName>(
  name: Name,
  input?: { id?: string; query?: Operations[Name]['query']; body?: Operations[Name]['body'] },
) => Promise<CallResult<Operations[Name]['response']>>

interface CallDependencies {
  /** The client that is signed in. The browser sends the session's cookie, which scripts cannot read. */
  clientId(): string
  /** Called when the API no longer accepts the session. */
  onUnauthenticated(): void
}

const maxWaitMs = 30_000

/**
 * Calls the API in the current session. Each POST carries an Idempotency-Key. While its outcome is unknown, repeating
 * the same call sends the same key.
 */
export function createCall({ clientId, onUnauthenticated }: CallDependencies): Call {
  const pendingKeys = new Map<string, string>()

  return async (name, { id = '', query, body } = {}) => {
    const { method, path } = operations[name]
    const takesKey = method === 'POST'
    const address = `${path.replace('{id}', encodeURIComponent(id))}${queryString(query)}`
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const request = `${address} ${sent ?? ''}`
    const key = pendingKeys.get(request) ?? newKey()
    if (takesKey) pendingKeys.set(request, key)
    const answer = await ask<Operations[typeof name]['response']>(address, {
      method,
      headers: {
        [consoleHeader]: encodeURIComponent(clientId()),
        ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(takesKey ? { 'Idempotency-Key': key } : {}),
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    if (answer.failure === null || !hasUnknownOutcome(answer.failure)) pendingKeys.delete(request)
    if (answer.failure?.kind === 'problem' && answer.failure.problem.status === 401) onUnauthenticated()
    return answer
  }
}

async function ask<Data>(address: string, request: RequestInit): Promise<CallResult<Data>> {
  let response: Response
  let text: string
  try {
    response = await fetch(address, { ...request, cache: 'no-store', signal: AbortSignal.timeout(maxWaitMs) })
    text = await response.text()
  } catch {
    return { data: null, failure: { kind: 'no-response' } }
  }
  const body = parsed(text)
  if (response.ok && body !== undefined) return { data: body as Data, failure: null }
  if (!response.ok && isProblem(body)) {
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    const retryAfterSeconds = Number.isFinite(seconds) ? seconds : null
    return { data: null, failure: { kind: 'problem', problem: body, retryAfterSeconds } }
  }
  const { status, headers } = response
  return { data: null, failure: { kind: 'unreadable', status, requestId: headers.get('X-Request-Id') } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'title' in body && 'detail' in body
}

function queryString(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** A random key. `crypto.randomUUID` would need HTTPS, which a sandbox opened over the local network does not have. */
function newKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
