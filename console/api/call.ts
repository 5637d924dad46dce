import { type Answer, isUndecided } from './failure.ts'
import { type Operations, operations, type Problem } from './partner-api.ts'

type Name = keyof Operations

/** One call of the API, typed by the document. Never throws: a failure is an answer. */
export type Call = <Called extends Name>(
  name: Called,
  input?: { id?: string; query?: Operations[Called]['query']; body?: Operations[Called]['body'] },
) => Promise<Answer<Operations[Called]['answer']>>

interface CallDependencies {
  accessToken(): string
  /** The token is not taken any more. */
  onUnauthenticated(): void
}

const longestWaitMs = 30_000

/**
 * Calls with the token of the moment. A POST carries an Idempotency-Key, and the same POST is repeated under the same key until it is known
 * what became of it.
 */
export function createCall({ accessToken, onUnauthenticated }: CallDependencies): Call {
  const undecidedKeys = new Map<string, string>()

  return async (name, { id = '', query, body } = {}) => {
    const { method, path, takesKey } = operations[name]
    const address = `${path.replace('{id}', encodeURIComponent(id))}${written(query)}`
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const request = `${address} ${sent ?? ''}`
    const key = undecidedKeys.get(request) ?? newKey()
    if (takesKey) undecidedKeys.set(request, key)
    const answer = await ask<Operations[typeof name]['answer']>(address, {
      method,
      headers: {
        Authorization: `Bearer ${accessToken()}`,
        ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(takesKey ? { 'Idempotency-Key': key } : {}),
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    if (answer.failure === null || !isUndecided(answer.failure)) undecidedKeys.delete(request)
    if (answer.failure?.kind === 'problem' && answer.failure.problem.status === 401) onUnauthenticated()
    return answer
  }
}

async function ask<Data>(address: string, request: RequestInit): Promise<Answer<Data>> {
  let response: Response
  let text: string
  try {
    response = await fetch(address, { ...request, cache: 'no-store', signal: AbortSignal.timeout(longestWaitMs) })
    text = await response.text()
  } catch {
    return { data: null, failure: { kind: 'no-answer' } }
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

function written(query: Record<string, unknown> | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Works without HTTPS too, where a sandbox is looked at over the local network. */
function newKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
