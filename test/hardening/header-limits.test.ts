import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { invalidFields, rejected } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Sends a hand-written request and returns the status and problem code of the response. */
async function send(firstLine: string, ...headers: string[]): Promise<[status: number, code: string]> {
  const bytes = [firstLine, 'Host: x', ...headers, 'Connection: close', '', ''].join('\r\n')
  const answer = await sendRaw(service.baseUrl, bytes)
  if (answer.status === 200) return [200, '']
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(answer.body).status, answer.status)
  return [answer.status, JSON.parse(answer.body).code]
}

test('headers over 16 KiB return 431, whether in one field or in many', async () => {
  const live = 'GET /health/live HTTP/1.1'
  assert.deepEqual(await send(live, `X-Large: ${'a'.repeat(15_000)}`), [200, ''])
  assert.deepEqual(await send(live, `X-Large: ${'a'.repeat(16_400)}`), [431, 'headers_too_large'])
  const many = Array.from({ length: 40 }, (_, index) => `X-${index}: ${'a'.repeat(500)}`)
  assert.deepEqual(await send(live, ...many), [431, 'headers_too_large'])
})

test('more than 100 header fields, even small ones, return 431; none is dropped silently', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a`)
  const live = 'GET /health/live HTTP/1.1'
  assert.deepEqual(await send(live, ...fields(98)), [200, ''])
  assert.deepEqual(await send(live, ...fields(99)), [431, 'headers_too_large'])
  assert.deepEqual(await send(live, ...fields(2_100).map(() => 'a:')), [431, 'headers_too_large'])
})

test('more than 100 query parameters return one error', async () => {
  const query = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=1`).join('&')
  const some = rejected(await partner.get(`/Quotes?${query(100)}`), 400, 'invalid_request')
  assert.equal(some.errors?.length, 100)
  const tooMany = rejected(await partner.get(`/Quotes?${query(101)}`), 400, 'invalid_request')
  assert.equal(tooMany.errors, undefined)
  assert.match(tooMany.detail, /at most 100 query parameters/)
})

test('a body with more than 1,000 values returns one error in a small response', async () => {
  const send = (rawBody: string) =>
    partner.post('/Quotes', undefined, { rawBody, headers: { 'Content-Type': 'application/json' } })
  const { addressUid } = ordinaryProperty()
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const fields = (count: number) => Object.fromEntries(numbers(count).map((index) => [`a${index}`, index]))
  const bodies = [
    { addressUid, packages: numbers(12_000) },
    { addressUid, ...fields(5_000) },
    { addressUid, packages: numbers(100).map(() => numbers(100)) },
    { addressUid, packages: numbers(1_100).map(() => ({})) },
  ]
  for (const body of bodies) {
    const answer = await send(JSON.stringify(body))
    assert.deepEqual(invalidFields(rejected(answer, 400, 'invalid_request')), [['', 'too_long']])
    assert.ok(answer.text.length < 1_000)
  }
  assert.equal(invalidFields(rejected(await send(JSON.stringify(fields(1_000))), 400, 'invalid_request')).length, 1_001)
  const nothingTaken = await partner.post('/Quotes/of_nobody/cancel', fields(1_001))
  assert.deepEqual(invalidFields(rejected(nothingTaken, 400, 'invalid_request')), [['', 'too_long']])
})

test('a body nested deeper than 20 levels returns 400 and states the allowed depth', async () => {
  const deep = `${'['.repeat(25)}${']'.repeat(25)}`
  const answer = await partner.post('/Quotes', undefined, {
    rawBody: `{"addressUid":"${ordinaryProperty().addressUid}","packages":${deep}}`,
    headers: { 'Content-Type': 'application/json' },
  })
  const { errors = [] } = rejected(answer, 400, 'invalid_request')
  assert.ok(errors.some(({ detail }) => detail === 'Must not be nested more than 20 levels deep.'))
})
