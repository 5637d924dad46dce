import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { readClientSource } from '../../scripts/generated/clients/described-operations.ts'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import type { CallInput, Recorder } from '../../scripts/generated/examples/recorder.ts'
import { checkResponse } from '../support/openapi-responses.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

/*
 * The client, the API document and the server agree: a walk calls every operation through the client, and each request and response is
 * compared with the document.
 */

const document = JSON.parse(await readFile(new URL('../../openapi/partner-api.json', import.meta.url), 'utf8'))
const { operations } = readClientSource(document)

/** A request that the client made, and the operation that was called. */
interface Sent {
  operationId: string
  method: string
  url: URL
  headers: Headers
  body: unknown
}

const sent: Sent[] = []
const called = new Map<string, unknown>()
let service: TestService

before(async () => {
  const closers: (() => unknown)[] = []
  const receiver = await startReceiver({ after: (close) => void closers.push(close as () => unknown) })
  service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
  try {
    const { baseUrl, credentials } = service
    let operationId = ''
    const client = new HousebillClient({
      baseUrl,
      ...credentials,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        const url = new URL(String(input))
        const text = await response.clone().text()
        checkResponse(init?.method ?? 'GET', url.pathname, {
          status: response.status,
          headers: response.headers,
          body: JSON.parse(text),
          text,
        })
        const isToken = url.pathname.endsWith('/Auth/token')
        sent.push({
          operationId: isToken ? 'issueToken' : operationId,
          method: init?.method ?? 'GET',
          url,
          headers: new Headers(init?.headers),
          body: init?.body,
        })
        return response
      },
    })
    const recorder = clientRecorder(client, (id) => {
      operationId = id
    })
    await recordOperations({
      recorder,
      receiverUrl: `https://localhost:${receiver.port}/webhooks`,
      receive: async (count) => {
        await waitFor('the receiver was sent the message', () => receiver.received.length >= count)
      },
    })
    const { clientId, clientSecret } = credentials
    const token = await recorder.call<{ access_token: string }>('issueToken', { body: credentials })
    await recorder.call('issueTokenAsProvider', {
      body: {
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
        audience: service.config.auth.audience,
      },
    })
    await recorder.call('revokeToken', { body: { ...credentials, token: token.access_token } })
    await recorder.call('getSigningKeys')
    await recorder.call('getAuthorizationServerMetadata')
  } finally {
    await service.stop()
    for (const close of closers) await close()
  }
})

/** Calls operations with the methods of the client, in the order in which the generator declares their parameters. */
function clientRecorder(client: HousebillClient, onCall: (operationId: string) => void): Recorder {
  const methods = client as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
  async function call<Body>(operationId: string, { id = [], query, body }: CallInput = {}): Promise<Body> {
    const described = operations.find((each) => each.operationId === operationId)
    assert.ok(described !== undefined, operationId)
    onCall(operationId)
    const given = [
      ...(typeof id === 'string' ? [id] : id),
      ...(described.body === undefined ? [] : [body]),
      ...(described.query.length === 0 || query === undefined ? [] : [query]),
    ]
    const response = await methods[operationId]?.(...given)
    called.set(operationId, response)
    return response as Body
  }
  return {
    recording: { operations: {}, errors: {}, messages: {}, tokenErrors: {} },
    call,
    peek: call,
    fail: () => assert.fail('the walk causes no errors'),
  }
}

test('the client has a method for every operation of the document, and the walk calls each of them', () => {
  const documented = operations.map(({ operationId }) => operationId).sort()
  assert.deepEqual([...called.keys()].sort(), documented)
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(HousebillClient.prototype))
  assert.deepEqual(methods.filter((name) => name !== 'constructor').sort(), documented)
})

test('every request has the documented method, path, body, token and idempotency key', () => {
  assert.ok(sent.length > operations.length)
  for (const { operationId, method, url, headers, body } of sent) {
    const operation = operations.find((each) => each.operationId === operationId)
    assert.ok(operation !== undefined, operationId)
    assert.equal(method, operation.method, operationId)
    assert.match(url.pathname, new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operationId)
    const known = operation.query.map(({ name }) => name)
    assert.deepEqual(
      [...url.searchParams.keys()].filter((name) => !known.includes(name)),
      [],
      operationId,
    )
    assert.equal(headers.has('Authorization'), !operation.isPublic, operationId)
    assert.equal(headers.has('Idempotency-Key'), operation.takesKey, operationId)
    if (operation.body?.isRequired !== false)
      assert.equal(body !== undefined, operation.body !== undefined, operationId)
  }
})

test('one token serves every call', () => {
  const tokens = new Set(sent.map(({ headers }) => headers.get('Authorization')).filter((each) => each !== null))
  assert.equal(tokens.size, 1)
})
