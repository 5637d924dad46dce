import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorResponses } from '../../src/app/http/error-responses.ts'
import { routes } from '../../src/app/http/routes.ts'
import { documentedCodes } from '../../src/platform/openapi/operation.ts'
import type { Partner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const { addressUid } = ordinaryProperty()
const asking = (wanted: string, more: Record<string, string> = {}) => ({
  headers: { 'Housebill-Test-Error': wanted, ...more },
})
const create = (partner: Partner, key: string, wanted?: string) => {
  const headers = { 'Idempotency-Key': key }
  return partner.post('/Quotes', { addressUid }, wanted === undefined ? { headers } : asking(wanted, headers))
}

test('a request with the header fails, and the next one without it succeeds', async () => {
  const partner = await connectNewPartner(service)
  const failed = await partner.get('/Quotes', asking('service_unavailable'))
  assert.match(assertProblem(failed, 'service_unavailable').detail, /You asked for this error/)
  assert.equal(failed.headers.get('retry-after'), '2')
  succeeded(await partner.get('/Quotes'))
})

test('every documented error can be caused, and every operation can fail', async () => {
  const partner = await connectNewPartner(service)
  const caused = new Set<string>()
  for (const route of routes) {
    // Every error once, and every operation at least once.
    for (const code of documentedCodes(route).filter((each, index) => index === 0 || !caused.has(each))) {
      caused.add(code)
      const path = route.path.replace(/\{\w+\}/, 'quote_01h455vb4pex5vsknk084sn02q')
      const { status } = errorResponses[code]
      rejected(await partner.send(route.method, path, undefined, asking(code)), status, code)
    }
  }
})

test('a 401, a 403 and a 429 have the headers of the real ones', async () => {
  const partner = await connectNewPartner(service)
  const failed = (code: string) => partner.get('/Quotes', asking(code))
  const expired = await failed('unauthenticated')
  assert.match(assertProblem(expired, 'unauthenticated').detail, /it has expired/)
  assert.equal(
    expired.headers.get('www-authenticate'),
    'Bearer realm="housebill", error="invalid_token", error_description="it has expired"',
  )
  assert.equal(expired.headers.get('ratelimit'), null)
  const scope = (await failed('insufficient_scope')).headers.get('www-authenticate')
  assert.equal(scope, 'Bearer realm="housebill", error="insufficient_scope", scope="quotes:read"')
  const limited = await failed('rate_limited')
  assertProblem(limited, 'rate_limited')
  assert.match(limited.headers.get('ratelimit') ?? '', /^"default";r=0;t=1$/)
  assert.match(limited.headers.get('ratelimit-policy') ?? '', /^"default";q=\d+;w=1$/)
  assert.equal(limited.headers.get('retry-after'), '1')
})

test('with when=after the change is committed and only the response is lost: a retry with the same key returns it', async () => {
  const partner = await connectNewPartner(service)
  assertProblem(await create(partner, 'lost', 'internal_error; when=after'), 'internal_error')
  const { data } = succeeded(await partner.get('/Quotes'))
  assert.equal(data.length, 1)
  // Also if the program sends the header again: the operation does not run a second time.
  for (const wanted of [undefined, 'internal_error; when=after']) {
    const retried = await create(partner, 'lost', wanted)
    assert.equal(succeeded(retried).quoteId, data[0]?.quoteId)
    assert.equal(retried.headers.get('idempotent-replayed'), 'true')
  }
})

test('with when=before, which is the default, nothing happens, and a retry with the same key takes effect', async () => {
  const partner = await connectNewPartner(service)
  for (const wanted of ['idempotency_in_flight', 'idempotency_in_flight; when=before'])
    assertProblem(await create(partner, 'again', wanted), 'idempotency_in_flight')
  assert.deepEqual(succeeded(await partner.get('/Quotes')).data, [])
  succeeded(await create(partner, 'again'))
})

test('with a delay the error comes later, before or after the request takes effect', async () => {
  const partner = await connectNewPartner(service)
  for (const [when, quotes] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    const startedAt = performance.now()
    const failed = await create(partner, 'slow', ` service_unavailable;delay=300 ; when=${when}`)
    assertProblem(failed, 'service_unavailable')
    assert.ok(performance.now() - startedAt >= 299)
    assert.equal(succeeded(await partner.get('/Quotes')).data.length, quotes)
  }
})

test('a header that is malformed, or names an error that the operation does not have, returns 400 that says what to send', async () => {
  const partner = await connectNewPartner(service)
  const isBad = async (wanted: string, code: string, says: RegExp) => {
    const problem = assertProblem(await create(partner, 'bad', wanted), 'invalid_request', [
      `/header/Housebill-Test-Error ${code}`,
    ])
    assert.match(problem.detail, says)
  }
  for (const malformed of [
    ...['', ';', 'HTTP 503', 'internal_error;', 'internal_error; later', 'internal_error, service_unavailable'],
    ...['internal_error; when=never', 'internal_error; when=before; when=after', 'internal_error; delay=-1'],
    ...['internal_error; delay=30001', 'internal_error; delay=1.5', 'internal_error; delay=', 'when=after'],
  ])
    await isBad(malformed, 'wrong_format', /^Housebill-Test-Error must be .* such as: service_unavailable; when=after/)
  await isBad('quote_locked', 'not_allowed', /^Housebill-Test-Error must name an error that createQuote documents\./)
  await isBad('internal_eror', 'not_allowed', /Use one of .*\. Did you mean internal_error\?$/)
  await isBad('rate_limited; when=after', 'not_allowed', /needs internal_error or service_unavailable/)
  assert.deepEqual(succeeded(await partner.get('/Quotes')).data, [])
})
