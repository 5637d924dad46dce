import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { readClientSource } from '../../scripts/generated/clients/described-operations.ts'
import { published } from '../support/openapi-responses.ts'
import { clientOfFake } from './fake-server.ts'

const { operations } = readClientSource(published.partner)

test('the client has a method for every operation of the document, and no other', () => {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(HousebillClient.prototype))
  assert.deepEqual(
    methods.filter((name) => name !== 'constructor').sort(),
    operations.map(({ operationId }) => operationId).sort(),
  )
})

test('every request has the documented method, path, query, body, token and idempotency key', async () => {
  for (const { operationId, method, path, ids, query, body, isPublic, takesKey } of operations) {
    const { client, requests, tokenRequests } = clientOfFake(() => Response.json({ data: [], nextCursor: null }))
    const given = Object.fromEntries(query.map(({ name }) => [name, `some ${name}`]))
    const values = ids.map((name) => `${name}_1`)
    const methods = client as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
    await methods[operationId]?.(...values, ...(body ? [body.example] : []), ...(query.length > 0 ? [given] : []))
    const [sent = assert.fail(operationId)] = operationId === 'issueToken' ? tokenRequests : requests
    assert.equal(sent.method, method, operationId)
    assert.equal(
      sent.url.pathname,
      path.replaceAll(/\{\w+\}/g, () => values.shift() ?? ''),
      operationId,
    )
    assert.deepEqual(Object.fromEntries(sent.url.searchParams), given, operationId)
    assert.deepEqual(sent.body, body?.example, operationId)
    assert.equal(sent.headers.has('Authorization'), !isPublic, operationId)
    assert.equal(sent.headers.has('Idempotency-Key'), takesKey, operationId)
  }
})
