import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { type DescribedOperation, isPaged } from '../../scripts/generated/clients/described-operations.ts'
import { checkResponse } from '../support/openapi-responses.ts'
import type { TestService } from '../support/service.ts'
import { type CallOperation, operations, walkEveryOperation } from './walk-every-operation.ts'

/*
 * The client, the API document and the server agree: a walk calls every operation, and each request and response is
 * compared with the document.
 */

/** A request that the client made, and the operation that was called. */
interface Sent {
  operation: DescribedOperation
  method: string
  url: URL
  headers: Headers
  hasBody: boolean
}

const sent: Sent[] = []
let called: ReadonlySet<string>

before(async () => {
  called = await walkEveryOperation(connect)
})

/** Calls the methods of one client, whose requests and responses are checked and kept. */
function connect(service: TestService): CallOperation {
  let current: DescribedOperation | undefined
  const client = new HousebillClient({
    baseUrl: service.baseUrl,
    ...service.credentials,
    fetch: async (input, init = {}) => {
      const url = new URL(String(input))
      const { method = 'GET' } = init
      const response = await fetch(input, init)
      const text = await response.clone().text()
      checkResponse(method, url.pathname, {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(text),
        text,
      })
      const isForToken = url.pathname === '/partner-api/Auth/token'
      const operation = isForToken ? operations.find(({ operationId }) => operationId === 'issueToken') : current
      assert.ok(operation !== undefined)
      sent.push({ operation, method, url, headers: new Headers(init.headers), hasBody: init.body != null })
      return response
    },
  })
  const methods = client as unknown as Record<
    string,
    (...given: unknown[]) => Promise<unknown> | AsyncIterable<unknown>
  >
  return async (operation, { id = [], query, body }) => {
    current = operation
    const given = [
      ...[id].flat(),
      ...(operation.body === undefined ? [] : [body]),
      ...(operation.query.length === 0 ? [] : [query]),
    ]
    const result = methods[operation.operationId]?.apply(client, given)
    assert.ok(result !== undefined, operation.operationId)
    if (!isPaged(operation)) return result
    const data: unknown[] = []
    for await (const entry of result as AsyncIterable<unknown>) data.push(entry)
    return { data, nextCursor: null }
  }
}

test('the client has a method for every operation of the document, and each can be called', () => {
  const documented = operations.map(({ operationId }) => operationId).sort()
  assert.deepEqual([...called].sort(), documented)
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(HousebillClient.prototype))
  assert.deepEqual(methods.filter((name) => name !== 'constructor').sort(), documented)
})

test('every request has the documented method, path, query, body, token and idempotency key', () => {
  assert.ok(sent.length > operations.length)
  for (const { operation, method, url, headers, hasBody } of sent) {
    const { operationId, path, query, body } = operation
    assert.equal(method, operation.method, operationId)
    assert.match(url.pathname, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operationId)
    const known = query.map(({ name }) => name)
    const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name))
    assert.deepEqual(unknown, [], operationId)
    assert.equal(headers.has('Authorization'), !operation.isPublic, operationId)
    assert.equal(headers.has('Idempotency-Key'), operation.takesKey, operationId)
    if (body?.isRequired !== false) assert.equal(hasBody, body !== undefined, operationId)
  }
})
