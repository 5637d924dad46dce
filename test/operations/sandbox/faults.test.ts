import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorResponses } from '../../../src/http/error-responses.ts'
import { documentedCodes } from '../../../src/http/openapi/documented-codes.ts'
import { routes } from '../../../src/http/routes/table.ts'
import { type Partner, partnerWithToken } from '../../support/client.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { createQuote, testTime } from '../../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startSecondService } from '../../support/second-service.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { waitFor } from '../../support/wait-for.ts'

const service = await shareTestService({}, { startAt: testTime })
const { addressUid } = ordinaryProperty()
const path = '/Sandbox/faults'
const listed = async (partner: Partner) => succeeded(await partner.get(path)).data

test('a fault makes the next call of its operation fail, and the call after that succeeds', async () => {
  const partner = await connectNewPartner(service)
  const { expiresAt, ...fault } = succeeded(await partner.post(path, { operation: 'listQuotes', status: 503 }))
  assert.match(expiresAt, /^2026-12-01T10:0/)
  assert.deepEqual(fault, {
    operation: 'listQuotes',
    status: 503,
    code: 'service_unavailable',
    delayMs: 0,
    acts: 'before',
    timesLeft: 1,
  })
  succeeded(await partner.get('/Quotes/quoting-tool-versions'))
  const failed = await partner.get('/Quotes')
  assertProblem(failed, 'service_unavailable')
  assert.equal(failed.headers.get('retry-after'), '2')
  succeeded(await partner.get('/Quotes'))
  assert.deepEqual(await listed(partner), [])
})

test('every documented error can be caused, and every operation that partners call can fail', async () => {
  const partner = await connectNewPartner(service)
  const caused = new Set<string>()
  for (const route of routes.filter(({ sandboxOnly }) => !sandboxOnly)) {
    const codes = documentedCodes(route)
    // Every error once, and every operation at least once.
    for (const code of codes.filter((each, index) => index === 0 || !caused.has(each))) {
      caused.add(code)
      succeeded(await partner.post(path, { operation: route.operationId, code }))
      const id = 'quote_01h455vb4pex5vsknk084sn02q'
      rejected(await partner.send(route.method, route.path.replace(/\{\w+\}/, id)), errorResponses[code].status, code)
    }
  }
})

test('a 401, a 403 and a 429 have the headers of the real ones', async () => {
  const partner = await connectNewPartner(service)
  const failed = async (code: string) => {
    succeeded(await partner.post(path, { operation: 'listQuotes', code }))
    return partner.get('/Quotes')
  }
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

test('a fault that acts after the operation loses only the response, and a retry with the same key returns it', async () => {
  const partner = await connectNewPartner(service)
  succeeded(await partner.post(path, { operation: 'createQuote', status: 500, acts: 'after' }))
  const create = () => partner.post('/Quotes', { addressUid }, { headers: { 'Idempotency-Key': 'lost' } })
  assertProblem(await create(), 'internal_error')
  const { data } = succeeded(await partner.get('/Quotes'))
  assert.equal(data.length, 1)
  const retried = await create()
  assert.equal(succeeded(retried).quoteId, data[0]?.quoteId)
  assert.equal(retried.headers.get('idempotent-replayed'), 'true')
})

test('a fault that acts before the operation changes nothing, and a retry with the same key takes effect', async () => {
  const partner = await connectNewPartner(service)
  succeeded(await partner.post(path, { operation: 'createQuote', status: 409, times: 2 }))
  const create = () => partner.post('/Quotes', { addressUid }, { headers: { 'Idempotency-Key': 'again' } })
  assertProblem(await create(), 'idempotency_in_flight')
  assertProblem(await create(), 'idempotency_in_flight')
  assert.deepEqual(succeeded(await partner.get('/Quotes')).data, [])
  succeeded(await create())
})

test('a delay alone makes a call slow, before or after it takes effect, as the list of requests shows', async () => {
  const partner = await connectNewPartner(service)
  for (const acts of ['before', 'after']) {
    succeeded(await partner.post(path, { operation: 'createQuote', delayMs: 300, acts }))
    await createQuote(partner)
  }
  const query = '/Sandbox/requests?operation=createQuote' as '/Sandbox/requests'
  const list = async () => succeeded(await partner.get(query)).data
  const slow = await waitFor('both calls are listed', list, ({ length }) => length === 2)
  assert.ok(slow.every(({ durationMs }) => durationMs >= 299))
})

test('faults of one operation act in the order of their creation, also if calls arrive together', async () => {
  const partner = await connectNewPartner(service)
  succeeded(await partner.post(path, { operation: 'listQuotes', status: 500, times: 3 }))
  succeeded(await partner.post(path, { operation: 'listQuotes', status: 503 }))
  const statuses = (await Promise.all([1, 2, 3].map(() => partner.get('/Quotes')))).map(({ status }) => status)
  assert.deepEqual(statuses, [500, 500, 500])
  assert.equal((await partner.get('/Quotes')).status, 503)
  assert.equal((await partner.get('/Quotes')).status, 200)
})

test('clearing removes all faults, and no fault affects another partner', async () => {
  const [partner, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  succeeded(await partner.post(path, { operation: 'listQuotes', status: 500, times: 1_000 }))
  succeeded(await partner.post(path, { operation: 'getQuote', delayMs: 30_000 }))
  assert.deepEqual(
    (await listed(partner)).map(({ operation, timesLeft }) => [operation, timesLeft]),
    [
      ['listQuotes', 1_000],
      ['getQuote', 1],
    ],
  )
  assert.deepEqual(await listed(other), [])
  succeeded(await other.get('/Quotes'))
  assert.deepEqual(succeeded(await other.delete(path)), { removed: 0 })
  assertProblem(await partner.get('/Quotes'), 'internal_error')
  assert.deepEqual(succeeded(await partner.delete(path)), { removed: 2 })
  succeeded(await partner.get('/Quotes'))
})

test('an error that the operation does not document, or that is not one error, returns 422 that names the possible ones', async () => {
  const partner = await connectNewPartner(service)
  const isBad = async (body: object, field: string, says: RegExp) => {
    const problem = assertProblem(await partner.post(path, body), 'validation_failed', [field])
    assert.match(problem.errors?.[0]?.detail ?? '', says)
  }
  await isBad({ operation: 'nothing', status: 500 }, '/operation', /listQuotes/)
  await isBad({ operation: 'listQuote', status: 500 }, '/operation', /Did you mean listQuotes\?$/)
  await isBad({ operation: 'sandboxListFaults', status: 500 }, '/operation', /listQuotes/)
  await isBad({ operation: 'listQuotes', status: 409 }, '/status not_documented', /401, 403, .*429, .*503/)
  await isBad({ operation: 'listQuotes', status: 403 }, '/code required', /insufficient_scope, /)
  await isBad({ operation: 'listQuotes', code: 'quote_locked' }, '/code not_documented', /rate_limited/)
  await isBad(
    { operation: 'listQuotes', status: 503, code: 'rate_limited' },
    '/code not_documented',
    /service_unavailable/,
  )
  await isBad({ operation: 'listQuotes' }, '/status required', /delayMs/)
  await isBad({ operation: 'listQuotes', delayMs: 30_001 }, '/delayMs out_of_range', /30,?000/)
  await isBad({ operation: 'listQuotes', status: 500, times: 0 }, '/times out_of_range', /1/)
  await isBad({ operation: 'createQuote', code: 'rate_limited', acts: 'after' }, '/acts not_allowed', /500/)
  for (const operation of [{ toString: 1 }, ['listQuotes'], 7])
    assertProblem(await partner.post(path, { operation, status: 500 }), 'invalid_request', ['/operation wrong_type'])
  assert.deepEqual(await listed(partner), [])
})

test('a partner has at most 100 faults at a time', async () => {
  const partner = await connectNewPartner(service)
  const create = () => partner.post(path, { operation: 'exportCustomer', status: 500 })
  for (let count = 0; count < 100; count++) succeeded(await create())
  assertProblem(await create(), 'validation_failed')
})

test('a fault also acts in other processes, which read the partner anew, and its calls are counted together', async () => {
  const shared = await shareTestService()
  const partner = await connectNewPartner(shared)
  const second = await startSecondService(shared)
  try {
    const elsewhere = partnerWithToken(second.baseUrl, partner.token)
    succeeded(await elsewhere.get('/Quotes'))
    succeeded(await partner.post(path, { operation: 'listQuotes', status: 500, times: 2 }))
    await waitFor(
      'the other process reads the partner again',
      () => elsewhere.get('/Quotes'),
      ({ status }) => status === 500,
    )
    assertProblem(await partner.get('/Quotes'), 'internal_error')
    for (const each of [partner, elsewhere]) succeeded(await each.get('/Quotes'))
  } finally {
    await second.stop()
  }
})
