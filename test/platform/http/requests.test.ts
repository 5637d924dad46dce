import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../../src/app/http/routes.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { ownCursor } from '../../../src/platform/http/schemas/page.ts'
import { newId } from '../../../src/platform/kernel/ids.ts'
import { call, connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { startHousehold } from '../../support/household.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { assertProblem, invalidFields, rejected } from '../../support/responses.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('a required parameter that is missing or repeated returns 400; an empty one is accepted as a value', async () => {
  const missing = rejected(await partner.get('/Addresses/lookup'), 400, 'invalid_request')
  assert.deepEqual(invalidFields(missing), [['/query/postcode', 'required']])
  const repeated = rejected(
    await partner.get('/Addresses/lookup?postcode=LS2+9JT&postcode=LS2+9JT'),
    400,
    'invalid_request',
  )
  assert.deepEqual(invalidFields(repeated), [['/query/postcode', 'wrong_type']])
  assert.deepEqual((await partner.get('/Addresses/lookup?postcode=')).body, [])
  const otherCase = rejected(await partner.get('/Addresses/lookup?Postcode=LS29JT'), 400, 'invalid_request')
  assert.deepEqual(invalidFields(otherCase), [['/query/Postcode', 'unknown_field']])
})

test('a list parameter of the wrong type returns 400; one with an invalid value returns 422', async () => {
  for (const [query, status, code] of [
    ['limit=1e400', 422, 'out_of_range'],
    ['limit=', 400, 'wrong_type'],
    ['limit=1.5', 400, 'wrong_type'],
  ] as const) {
    const problem = rejected(
      await partner.get(`/Quotes?${query}`),
      status,
      status === 400 ? 'invalid_request' : 'validation_failed',
    )
    assert.deepEqual(invalidFields(problem), [[`/query/${query.split('=')[0]}`, code]], query)
  }
  for (const cursor of ['nonsense', '', '%00', 'quote_1']) {
    const { status } = await partner.get(`/Quotes?cursor=${cursor}`)
    assert.ok(status === 422 || status === 400, `${cursor}: ${status}`)
  }
})

test('a cursor of another partner, or of another list, returns the same error in every list', async () => {
  const { clientId } = service.credentials
  const [own] = await rawRows(service, 'select partner_id from credentials where client_id = $1', [clientId])
  const positions: Record<string, string> = {
    listQuotes: newId('quote'),
    listCustomers: newId('tenant'),
    listWebhooks: newId('webhook'),
    listDeliveries: `1.${newId('delivery')}`,
    listEvents: 'oldest.start',
    getImport: '3',
    listImports: newId('import'),
    readCommissionStatement: `${own?.partner_id}.2026-10-31.4821-7730-9150.earned.`,
    sandboxListRequests: newId('request'),
  }
  const stranger = await connectNewPartner(service)
  const paged = routes.filter(({ query }) => query?.properties.cursor !== undefined)
  assert.deepEqual(paged.map(({ operationId }) => operationId).sort(), Object.keys(positions).sort())
  for (const { operationId, path, query } of paged) {
    const position = Buffer.from(positions[operationId] ?? '').toString('base64url')
    const month = query?.required?.includes('month') ? 'month=2026-10&' : ''
    const list = (of: string) =>
      `${path.replace('{id}', newId('webhook'))}?${month}cursor=${ownCursor(position, String(own?.partner_id), of)}`
    assert.equal((await partner.get(list(operationId))).status, path.includes('{id}') ? 404 : 200, operationId)
    for (const wrong of [stranger.get(list(operationId)), partner.get(list('another'))])
      assertProblem(await wrong, 'validation_failed', ['/query/cursor wrong_format'])
  }
})

test('unusual characters in parameters are rejected or find nothing, but never cause a 500', async () => {
  for (const value of ['%00', '%zz', '%ff', '%F0%9F%8F%A0', "'%3b--", '%25', 'a'.repeat(8_000)]) {
    const lookup = await partner.get(`/Addresses/lookup?postcode=${value}`)
    assert.ok([200, 400, 422].includes(lookup.status), `${value}: ${lookup.text}`)
    const list = await partner.get(`/Quotes?reference=${value}`)
    assert.ok([200, 400, 422].includes(list.status), `${value}: ${list.text}`)
  }
})

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

test('a misspelt field, value, query parameter or event type is answered with the one that was probably meant', async () => {
  const { addressUid } = (await createQuote(partner)).address
  const url = 'https://127.0.0.1:9/hook'
  for (const [response, detail] of [
    [
      await partner.post('/Quotes', { addressUid, package: ['gas'] }),
      /^Unknown field\. Did you mean packages\? The known fields/,
    ],
    [await partner.post('/Quotes', { addressUid, packages: ['gass'] }), /\. Did you mean gas\?$/],
    [await partner.get('/Quotes?stat=draft'), /Did you mean status\?/],
    [await partner.get('/Quotes?page=2'), /send cursor with the nextCursor of the previous response/],
    [
      await partner.post('/Webhooks', { url, events: ['payment.updated'] }),
      /Did you mean customer\.payment\.updated\?/,
    ],
    [await partner.post('/Quotes', { addressUid, colour: 'red' }), /^Unknown field\. The known fields/],
  ] as const)
    assert.match(
      (response.body as { errors: { detail: string }[] }).errors.map((each) => each.detail).join(' '),
      detail,
    )
})

test('an id of the wrong kind is answered with what it is the id of, whether it exists or not', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  for (const [path, kind] of [
    [`/Quotes/${lead}`, 'customer'],
    ['/Quotes/tenant_nobody', 'customer'],
    [`/Customers/${quoteId}/total-cost`, 'quote'],
    [`/Webhooks/${quoteId}`, 'quote'],
  ] as const) {
    const { detail } = assertProblem(await partner.get(path), 'not_found')
    assert.match(detail, new RegExp(` You sent the id of a ${kind}\\.$`), path)
  }
  for (const id of ['quote_nobody', 'nobody', 'constructor_1', '__proto___1']) {
    const { detail } = assertProblem(await partner.get(`/Quotes/${id}`), 'not_found')
    assert.match(detail, /with your credentials\.$/, id)
  }
})

const path = '/.well-known/security.txt'

test('security.txt names every contact in order, where it belongs, and that it expires in 30 days', async () => {
  const service = await startTestService(
    {
      SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report',
      PUBLIC_URL: 'https://bills.example',
      RATE_LIMIT_PER_SECOND: '100',
    },
    { clock: movableClock('2027-01-31T10:00:00.000Z') },
  )
  try {
    const response = await fetch(`http://127.0.0.1:${service.config.server.port}${path}`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')
    assert.match(response.headers.get('ratelimit-policy') ?? '', /"public"/)
    assert.match(
      await response.text(),
      /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: 2027-03-02T10:0\d:\d\dZ\nCanonical: https:\/\/bills\.example\/\.well-known\/security\.txt\n$/,
    )
  } finally {
    await service.stop()
  }
})

test('without SECURITY_CONTACT there is no security.txt, because it would name nobody', async () => {
  const { baseUrl } = await shareTestService()
  rejected(await call(baseUrl, 'GET', path), 404, 'not_found')
  rejected(await call(baseUrl, 'POST', path), 405, 'method_not_allowed')
})

test('a contact that is not an address to report to, or that would add a line, stops the start', () => {
  for (const value of [
    'security@example.com',
    'http://example.com',
    'mailto:',
    'https://a.example\nExpires: never',
    'x',
  ])
    assert.throws(() => buildConfig({ SECURITY_CONTACT: value }), /SECURITY_CONTACT must be mailto: or https:/, value)
})
