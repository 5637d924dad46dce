import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connectPartner } from '../../support/client.ts'
import { rejected } from '../../support/responses.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

const idOf = async (incoming?: string) => {
  const headers = incoming === undefined ? {} : { 'X-Request-Id': incoming }
  return (await partner.get('/Quotes', { headers })).headers.get('x-request-id') ?? ''
}

test('every kind of response has X-Request-Id', async () => {
  for (const [method, path] of [
    ['GET', '/partner-api/Quotes'],
    ['DELETE', '/partner-api/Quotes'],
    ['GET', '/nothing'],
    ['GET', '/partner-api/Quotes/%zz'],
    ['POST', '/oauth/token'],
    ['GET', '/docs'],
    ['GET', '/openapi.json'],
    ['GET', '/health/live'],
    ['GET', '/contracts/x/pre-contract-information.html'],
    ['POST', '/processor-webhooks/stripe'],
  ] as const) {
    const { headers } = await call(service.baseUrl, method, path)
    assert.match(headers.get('x-request-id') ?? '', /^request_[0-9a-z]{26}$/, path)
  }
})

test('a request with a missing or invalid X-Request-Id gets a new id', async () => {
  const ids = [await idOf(), await idOf()]
  assert.notEqual(ids[0], ids[1])
  for (const unusable of ['', 'with space', 'semi;colon', '<script>', '"quoted"', 'x'.repeat(129), 'new\tline', 'a, b'])
    assert.match(await idOf(unusable), /^request_[0-9a-z]{26}$/, unusable)
})

test('a valid X-Request-Id is kept and also appears in errors', async () => {
  for (const usable of ['a', 'x'.repeat(128), '4bf92f35-77b3:4da6.a3ce_929d', 'REQUEST-1'])
    assert.equal(await idOf(usable), usable)
  const response = await partner.get('/Quotes/unknown', { headers: { 'X-Request-Id': 'followed-through' } })
  const problem = rejected(response, 404, 'not_found')
  assert.equal(response.headers.get('x-request-id'), 'followed-through')
  assert.equal(problem.requestId, 'followed-through')
})
