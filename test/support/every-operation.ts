import assert from 'node:assert/strict'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import type { CallInput, Recorder } from '../../scripts/generated/examples/recorder.ts'
import { routes } from '../../src/app/http/routes.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import type { ServiceUnderTest } from './service.ts'

/** A request that succeeds when it is sent, because the requests before it have prepared everything it needs. */
export interface ValidRequest {
  route: Route
  /** The path below /partner-api with its ids, without the query. */
  path: string
  /** The ids in the path, in their order. */
  ids: readonly string[]
  /** The query with its question mark, or an empty text. */
  query: string
  body: unknown
}

/** Sends a request that must succeed, and returns the body of its response. */
export type SendRequest = (request: ValidRequest) => Promise<unknown>

/**
 * Calls every operation of the partner API, with the requests of the API document's examples. `send` sends the first
 * request of each operation, `sendNext` those that follow. No receiver is needed: nobody waits for messages. Fails if
 * an operation has no request.
 */
export async function callEveryOperation(
  service: ServiceUnderTest,
  send: SendRequest,
  sendNext: SendRequest,
): Promise<void> {
  const called = new Set<string>()
  const call = async <Body>(operationId: string, input: CallInput = {}, isFirst = !called.has(operationId)) => {
    if (isFirst) called.add(operationId)
    return (await (isFirst ? send : sendNext)(validRequest(operationId, input))) as Body
  }
  const recorder: Recorder = {
    recording: { operations: {}, errors: {}, messages: {}, tokenErrors: {} },
    call: (operationId, input) => call(operationId, input),
    peek: (operationId, input) => call(operationId, input, false),
    fail: () => assert.fail('these requests cause no errors'),
  }
  await recordOperations({ recorder, work: async () => undefined, earn: (sold) => earnAtOnce(service, sold) })
  const forgotten = routes.map(({ operationId }) => operationId).filter((operationId) => !called.has(operationId))
  assert.deepEqual(forgotten, [], 'call the new operation in scripts/generated/examples/journey.ts')
}

function validRequest(operationId: string, { id = [], query, body }: CallInput): ValidRequest {
  const route = routes.find((each) => each.operationId === operationId)
  assert.ok(route !== undefined, operationId)
  const ids = [id].flat()
  return {
    route,
    ids,
    path: fillPath(route, ids),
    query: query === undefined ? '' : `?${new URLSearchParams(query)}`,
    body,
  }
}

/** The operation's path with these ids. The last id also fills the parameters that have none. */
export function fillPath({ path }: Route, ids: readonly string[]): string {
  let index = 0
  return path.replace(/\{\w+\}/g, () => ids[index++] ?? ids.at(-1) ?? '')
}

/** Whether an operation changes something: all others only read. */
export function isChanging({ method }: Route): boolean {
  return method !== 'GET'
}

/** Whether an operation takes an idempotency key. */
export function isPost({ method }: Route): boolean {
  return method === 'POST'
}
