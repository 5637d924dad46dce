import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, call, connectPartner, type Partner } from '../../support/client.ts'
import { sampleTenants, startHousehold } from '../../support/household.ts'
import { connectNewPartner, connectWithScopes } from '../../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } })
const create = (key: string, by = partner, reference = key.slice(0, 100)) =>
  by.post('/Quotes', { addressUid, reference }, withKey(key))

/** Counts the partner's quotes with this reference: the number of create requests that took effect. */
async function quotesWith(reference: string, by: Partner = partner): Promise<number> {
  return succeeded(await by.get(`/Quotes?reference=${reference}`)).data.length
}

function assertReplay(response: ApiResponse, of: ApiResponse): void {
  assert.equal(response.status, 200, response.text)
  assert.equal(response.text, of.text)
  assert.equal(response.headers.get('idempotent-replayed'), 'true')
  assert.equal(response.headers.get('content-type'), of.headers.get('content-type'))
}

test('a request repeated with its key returns the stored response byte for byte and takes effect once', async () => {
  const first = await create('first')
  assert.equal(first.status, 200)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  for (let time = 0; time < 3; time += 1) assertReplay(await create('first'), first)
  assert.equal(await quotesWith('first'), 1)
  const other = await create('second')
  assert.notEqual(succeeded(other).quoteId, succeeded(first).quoteId)
})

test('a key of 255 visible ASCII characters is accepted with or without quotation marks', async () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
  for (const key of ['k'.repeat(255), visible, '!', 'a"b', "'; drop table quotes; --".replaceAll(' ', '_')]) {
    const first = await create(key, partner, 'odd-key')
    assertReplay(await create(`"${key}"`, partner, 'odd-key'), first)
  }
})

test('an invalid key returns 400 with an error that points at the header', async () => {
  for (const key of ['', '""', 'k'.repeat(256), 'two words', 'tab\there', 'käse', '"unclosed key'])
    assert.deepEqual(
      invalidFields(
        rejected(await create(Buffer.from(key).toString('latin1'), partner, 'unusable'), 400, 'invalid_request'),
      ),
      [['/header/Idempotency-Key', 'wrong_format']],
      key,
    )
  const twice = await fetch(`${service.baseUrl}/partner-api/Quotes`, {
    method: 'POST',
    headers: [
      ['Authorization', `Bearer ${partner.token}`],
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', 'one'],
      ['Idempotency-Key', 'two'],
    ],
    body: JSON.stringify({ addressUid, reference: 'unusable' }),
  })
  assert.equal(twice.status, 400)
  assert.equal(await quotesWith('unusable'), 0)
})

test('a key reused with a different body, different bytes or a different path returns 422', async () => {
  const first = await create('reused')
  rejected(await create('reused', partner, 'another'), 422, 'idempotency_key_reused')
  const spaced = await partner.post('/Quotes', undefined, {
    rawBody: JSON.stringify({ addressUid, reference: 'reused' }, null, 1),
    headers: { ...withKey('reused').headers, 'Content-Type': 'application/json' },
  })
  rejected(spaced, 422, 'idempotency_key_reused')
  rejected(
    await partner.post(`/Quotes/${succeeded(first).quoteId}/cancel`, undefined, withKey('reused')),
    422,
    'idempotency_key_reused',
  )
  rejected(
    await partner.post(
      '/Quotes/broadband-availability-requests',
      { addressUid, reference: 'reused' },
      withKey('reused'),
    ),
    422,
    'idempotency_key_reused',
  )
  assertReplay(await create('reused'), first)
  assert.equal(await quotesWith('another'), 0)
})

test('a key sent with a different id in the path counts as reused; letter case elsewhere in the path makes no difference', async () => {
  const [one, two] = [await create('owner-1'), await create('owner-2')]
  const cancelled = await partner.post(`/Quotes/${succeeded(one).quoteId}/cancel`, undefined, withKey('cancel-it'))
  rejected(
    await partner.post(`/Quotes/${succeeded(two).quoteId}/cancel`, undefined, withKey('cancel-it')),
    422,
    'idempotency_key_reused',
  )
  assertReplay(
    await partner.post(`/QUOTES/${succeeded(one).quoteId}/Cancel`, undefined, withKey('cancel-it')),
    cancelled,
  )
})

test('GET ignores a key, even an invalid one', async () => {
  for (const key of ['first', '']) {
    const response = await partner.get('/Quotes', withKey(key))
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('idempotent-replayed'), null)
  }
})

test('an error is not stored under the key, so the same request works once the problem is fixed', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 0, packages: [] })
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
  const add = () =>
    partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(1) }, withKey('after-renewal'))
  rejected(await add(), 422, 'quote_expired')
  rejected(await add(), 422, 'quote_expired')
  rejected(await partner.get(`/Quotes/${quoteId}/total-cost`), 422, 'packages_required')
  const added = await add()
  assert.equal(added.headers.get('idempotent-replayed'), null)
  assert.equal(succeeded(added).tenants.length, 1)
  assertReplay(await add(), added)
})

test('repeating a finished request still returns its stored response after the quote has expired or been cancelled', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 0, packages: [] })
  const add = () =>
    partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(1) }, withKey('finished-before'))
  const added = await add()
  assert.equal(added.status, 200)
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
  rejected(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(2) }), 422, 'quote_expired')
  assertReplay(await add(), added)
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
  rejected(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(2) }), 422, 'quote_cancelled')
  assertReplay(await add(), added)
})

test('an idempotency key belongs to the partner: all of its tokens and clients share the key, and no other partner does', async () => {
  const first = await create('shared-key')
  const newToken = await connectPartner(service.baseUrl, service.credentials)
  assertReplay(await create('shared-key', newToken), first)
  const otherClient = await connectWithScopes(service, ['quotes:write'])
  assertReplay(await create('shared-key', otherClient), first)
  const stranger = await connectNewPartner(service)
  const theirs = await create('shared-key', stranger)
  assert.equal(theirs.headers.get('idempotent-replayed'), null)
  assert.notEqual(succeeded(theirs).quoteId, succeeded(first).quoteId)
  assert.equal(await quotesWith('shared-key', stranger), 1)
})

test('a stored response is not replayed to a caller without permission for the call', async () => {
  await create('not-for-readers')
  rejected(
    await create('not-for-readers', await connectWithScopes(service, ['quotes:read'])),
    403,
    'insufficient_scope',
  )
  const response = await call(
    service.baseUrl,
    'POST',
    '/partner-api/Quotes',
    { addressUid, reference: 'not-for-readers' },
    withKey('not-for-readers'),
  )
  rejected(response, 401, 'unauthenticated')
})

test('fifty simultaneous requests with one key take effect once; the others get replays or 409', async () => {
  const responses = await Promise.all(Array.from({ length: 50 }, () => create('fifty-at-once')))
  assert.equal(await quotesWith('fifty-at-once'), 1)
  const [made, ...others] = responses.filter(
    ({ status, headers }) => status === 200 && headers.get('idempotent-replayed') === null,
  )
  assert.ok(made !== undefined && others.length === 0, 'exactly one request ran')
  for (const response of responses.filter((each) => each !== made)) {
    if (response.status === 200) assertReplay(response, made)
    else {
      rejected(response, 409, 'idempotency_in_flight')
      assert.match(response.headers.get('retry-after') ?? '', /^([1-9]|1[0-5])$/)
    }
  }
  assertReplay(await create('fifty-at-once'), made)
})
