import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runInThisContext } from 'node:vm'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import type { DescribedOperation } from '../../scripts/generated/clients/described-operations.ts'
import { checkResponse } from '../support/openapi-responses.ts'
import type { TestService } from '../support/service.ts'
import {
  type CallOperation,
  operations,
  printedResponse,
  sampleOf,
  walkEveryOperation,
} from './walk-every-operation.ts'

/*
 * The client, the API document, the samples of the reference and the server agree: a walk calls every operation by running its sample, and each
 * request and response is compared with the document.
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

/** A program in an asynchronous function: what it imports and the console are its parameters. */
type Program = (client: unknown, console: { log(value: unknown): void }) => Promise<void>

/** Runs the samples with one client, whose requests and responses are checked and kept. */
function connect(service: TestService): CallOperation {
  let current: DescribedOperation | undefined
  const options = { baseUrl: service.baseUrl, ...service.credentials }
  const client = new HousebillClient({
    ...options,
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
  /** Stands in for the class that a sample imports. */
  function Constructor(given: object): HousebillClient {
    assert.deepEqual(given, options)
    return client
  }
  return async (operation, input) => {
    current = operation
    const [imported = '', ...lines] = sampleOf('typescript', operation, input, service).split('\n')
    assert.equal(imported, "import { HousebillClient } from 'housebill-client'")
    const program = runInThisContext(`async (HousebillClient, console) => {${lines.join('\n')}}`) as Program
    const printed: unknown[] = []
    await program(Constructor, { log: (value) => void printed.push(value) })
    return printedResponse(operation, printed)
  }
}

test('the client has a method for every operation of the document, and the sample of each runs', () => {
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

test('one token serves every call', () => {
  const tokens = new Set(sent.map(({ headers }) => headers.get('Authorization')).filter((each) => each !== null))
  assert.equal(tokens.size, 1)
})
