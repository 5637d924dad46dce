import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { routes } from '../../../src/app/http/routes.ts'
import { connectPartner } from '../../support/client.ts'
import { startHousehold } from '../../support/household.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { quoteId, lead } = await startHousehold(partner)

const id = fc.oneof(
  fc.constantFrom(quoteId, lead, ordinaryProperty().addressUid, 'quote_00000000000000000000000000', '..', '-1', 'null'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(encodeURIComponentLoosely),
  fc.string({ unit: fc.constantFrom('%', '/', '?', '#', '&', ';', 'a', '0', "'", '\\', '.'), maxLength: 12 }),
)
/** Values that are valid for at least one field, and values that are valid for none. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom(
    quoteId,
    lead,
    ordinaryProperty().addressUid,
    '2027-01-31',
    '2026-02-30',
    'gas',
    'a@example.com',
    '07700 900123',
  ),
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 9_007_199_254_740_992, '', '\u0000', '\ud800', '\u202e', '𝒳'),
  fc.string({ maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
)
const fieldNames = [
  ...new Set(
    routes.flatMap(({ body }) => Object.keys((body as { properties?: object } | undefined)?.properties ?? {})),
  ),
  '__proto__',
  'toString',
]
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...fieldNames), value, { maxKeys: 6 }).map((fields) => JSON.stringify(fields)),
  fc.array(value, { maxLength: 3 }).map((fields) => JSON.stringify(fields)),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const header = fc.constantFrom<Record<string, string>>(
  {},
  { 'Content-Type': 'application/json' },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Type': 'application/x-www-form-urlencoded' },
  { 'Content-Type': ';' },
  { Accept: 'text/html' },
  { 'Idempotency-Key': 'robust' },
  { 'Idempotency-Key': '"' },
  { 'X-Request-Id': '\xff' },
  { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' },
  { Range: 'bytes=0-1', 'If-None-Match': '*' },
)
/** What would end the token, or make other requests fail on purpose. */
const leftOut = new Set(['sandboxAdvanceClock', 'sandboxSteerProcessorOutage'])
const request = fc.record({
  route: fc.constantFrom(...routes.filter(({ operationId }) => !leftOut.has(operationId))),
  id,
  query: fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc.webQueryParameters().map((text) => `?${text}`),
  ),
  method: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom('PUT', 'DELETE', 'HEAD')),
  header,
  body,
})

/** Percent-encodes everything except unpaired surrogates, which cannot be encoded. */
function encodeURIComponentLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

test('every request gets a status below 500, and every error has one format without internal details', async () => {
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ route, id: anyId, query, method = route.method, header: headers, body: text }) => {
        const path = `/partner-api${route.path.replace(/\{\w+\}/, () => anyId)}${query}`
        const mayHaveBody = method !== 'GET' && method !== 'HEAD'
        const { 'Transfer-Encoding': chunked, ...rest } = headers
        const response = await fetch(
          new Request(`${service.baseUrl}${path}`, {
            method,
            headers: { Authorization: `Bearer ${partner.token}`, ...rest },
            redirect: 'manual',
            ...(mayHaveBody ? { body: chunked === undefined ? text : new Blob([text]).stream(), duplex: 'half' } : {}),
          } as RequestInit),
        )
        const said = await response.text()
        const about = `${method} ${path} ${text} → ${response.status} ${said}`
        assert.ok(response.status < 500, about)
        assert.ok(response.headers.get('x-request-id'), about)
        if (response.status === 200 || method === 'HEAD') return
        if (response.status === 302) return assert.equal(new URL(response.url).pathname, '/', about)
        assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8', about)
        const problem = JSON.parse(said)
        assert.equal(problem.status, response.status, about)
        assert.doesNotMatch(
          said,
          /node_modules|\.ts:\d+|at \w+ \(|select |insert into|ECONN|SQLSTATE|DatabaseError/,
          about,
        )
      },
    ),
    { numRuns: 400 },
  )
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200)
  succeeded(await partner.get(`/Quotes/${quoteId}`))
})
