import type { Operation } from '../../../src/platform/http/route.ts'
import type { Problem } from '../../../test/support/client.ts'

/** What was sent and received: the examples of one operation. Absent members do not apply to the operation. */
interface RecordedCall {
  request?: unknown
  response: unknown
  /** The ids in the path, in their order. */
  ids?: readonly string[]
  query?: Readonly<Record<string, string>>
}

/** Everything that was recorded: the first success of each operation and the first error of each code. */
export interface Recording {
  operations: Record<string, RecordedCall>
  errors: Record<string, unknown>
  /** The first message of each type that was delivered. */
  messages: Record<string, unknown>
  /** The errors of token requests, by code. */
  tokenErrors: Record<string, unknown>
}

export interface CallInput {
  /** The id in the path, or the ids in their order. */
  id?: string | readonly string[]
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  /** Sent instead of the body. */
  rawBody?: string
}

/** Calls operations of a running service by their operationId and records what they return. */
export interface Recorder {
  recording: Recording
  /** Calls an operation that must succeed, and returns its response. */
  call<Body = unknown>(operationId: string, input?: CallInput): Promise<Body>
  /** Calls an operation that must succeed, without recording it. */
  peek<Body = unknown>(operationId: string, input?: CallInput): Promise<Body>
  /** Calls an operation that must fail with this code. */
  fail(code: string, operationId: string, input?: CallInput): Promise<void>
}

export function createRecorder(
  api: { url: string; token: string; routes: readonly Operation[] },
  recording: Recording = { operations: {}, errors: {}, messages: {}, tokenErrors: {} },
): Recorder {
  async function send(operationId: string, { id, query, body, headers, rawBody }: CallInput): Promise<Response> {
    const route = api.routes.find((each) => each.operationId === operationId)
    if (route === undefined) throw new Error(`no operation ${operationId}`)
    const ids = listIds(id)
    const path = route.path.replace(/\{\w+\}/g, () => ids.shift() ?? '')
    const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
    return fetch(`${api.url}${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`, {
      method: route.method,
      headers: {
        Authorization: `Bearer ${api.token}`,
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    })
  }

  async function succeed<Body>(operationId: string, input: CallInput = {}): Promise<Body> {
    const response = await send(operationId, input)
    const body: unknown = await response.json()
    if (response.status !== 200) throw new Error(`${operationId} failed: ${JSON.stringify(body)}`)
    return body as Body
  }

  return {
    recording,
    peek: succeed,
    async call<Body>(operationId: string, input: CallInput = {}) {
      const response = await succeed<Body>(operationId, input)
      // The first call is shown, and the first body, which may be of a later call if the body is optional.
      const { request = input.body, ...shown } = recording.operations[operationId] ?? {
        response,
        ...(input.id === undefined ? {} : { ids: listIds(input.id) }),
        ...(input.query === undefined ? {} : { query: input.query }),
      }
      recording.operations[operationId] = request === undefined ? shown : { request, ...shown }
      return response
    },
    async fail(code, operationId, input = {}) {
      const response = await send(operationId, input)
      const problem = (await response.json()) as Problem
      if (problem.code !== code)
        throw new Error(`${operationId} returned ${JSON.stringify(problem)} instead of ${code}`)
      recording.errors[code] ??= problem
    },
  }
}

function listIds(id: CallInput['id'] = []): string[] {
  return typeof id === 'string' ? [id] : [...id]
}
