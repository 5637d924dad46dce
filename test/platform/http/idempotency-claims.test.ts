import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { connectPartner, type Partner } from '../../support/client.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

const startedAt = Date.parse('2026-11-20T09:00:00Z')
const clock = movableClock(new Date(startedAt).toISOString())
const service = await startTestService({}, { clock })
const beside = new Client({ connectionString: service.connectionString })
let partner: Partner
let partnerId: string
before(async () => {
  await beside.connect()
  partner = await connectPartner(service.baseUrl, service.credentials)
  partnerId = (await beside.query('select partner_id from partners')).rows[0].partner_id
})
after(async () => {
  await beside.end()
  await service.stop()
})

const { addressUid } = ordinaryProperty()
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } })
const bodyOf = (reference: string) => ({ addressUid, reference })
const create = (key: string) => partner.post('/Quotes', bodyOf(key), withKey(key))
const rowOf = async (key: string) =>
  (await beside.query('select * from idempotency_keys where partner_id = $1 and key = $2', [partnerId, key])).rows[0]
const quotesWith = async (reference: string) =>
  succeeded(await partner.get(`/Quotes?reference=${encodeURIComponent(reference)}`)).data.length

/**
 * Leaves the row of a process that claimed the idempotency key of a `create` call and then died: that of a finished
 * call without its response. The quote of that call loses its reference, so only those that follow are found.
 */
async function leaveClaim(key: string, claimedForMs: number): Promise<void> {
  const { quoteId } = succeeded(await create(key))
  await beside.query('update quotes set reference_encrypted = null, reference_hash = null where quote_id = $1', [
    quoteId,
  ])
  await beside.query(
    `update idempotency_keys set claim_id = 'claim_of_the_dead', claimed_until = $3, response_encrypted = null,
     subject_id = null
      where partner_id = $1 and key = $2`,
    [partnerId, key, new Date(clock.now().getTime() + claimedForMs)],
  )
}

/**
 * Runs `during` while the quote's row is locked. To return requests that are still pending, wrap them in an array;
 * otherwise they are awaited here.
 */
async function holdingQuote<Result>(quoteId: string, during: () => Promise<Result>): Promise<Result> {
  await beside.query('begin')
  await beside.query('select from quotes where quote_id = $1 for update', [quoteId])
  try {
    return await during()
  } finally {
    await beside.query('rollback')
  }
}

/** Waits until this many of the service's statements are waiting for the lock. */
async function untilWaiting(count: number): Promise<void> {
  const observer = new Client({ connectionString: service.connectionString })
  await observer.connect()
  const waiting = `select count(*)::int from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock'`
  await waitFor(`${count} statements are waiting`, async () => (await observer.query(waiting)).rows[0].count >= count)
  await observer.end()
}

test('while the first request with a key is running, others return 409 with Retry-After; afterwards its response is replayed', async () => {
  const { quoteId } = succeeded(await create('to-be-held'))
  const cancel = () => partner.post(`/Quotes/${quoteId}/cancel`, undefined, withKey('slow'))
  const [slow] = await holdingQuote(quoteId, async () => {
    const first = cancel()
    await untilWaiting(1)
    const second = await cancel()
    const problem = rejected(second, 409, 'idempotency_in_flight')
    assert.match(problem.detail, /Retry-After/)
    assert.equal(second.headers.get('retry-after'), '15')
    rejected(await partner.post(`/Quotes/${quoteId}/reopen`, undefined, withKey('slow')), 422, 'idempotency_key_reused')
    return [first] as const
  }).then((pending) => Promise.all(pending))
  assert.equal(succeeded(slow).status, 'cancelled')
  assert.equal(slow.headers.get('idempotent-replayed'), null)
  const replayed = await cancel()
  assert.equal(replayed.text, slow.text)
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
})

test('a claim whose process has died blocks its key for at most 15 seconds, and Retry-After says how long', async () => {
  await leaveClaim('crashed', 15_000)
  const first = await create('crashed')
  rejected(first, 409, 'idempotency_in_flight')
  assert.equal(first.headers.get('retry-after'), '15')
  clock.moveTo(new Date(clock.now().getTime() + 9_500).toISOString())
  const second = await create('crashed')
  rejected(second, 409, 'idempotency_in_flight')
  assert.equal(second.headers.get('retry-after'), '6')
  clock.moveTo(new Date(clock.now().getTime() + 5_501).toISOString())
  const made = await create('crashed')
  assert.equal(made.headers.get('idempotent-replayed'), null)
  succeeded(made)
  const replayed = await create('crashed')
  assert.equal(replayed.text, made.text)
  assert.equal(await quotesWith('crashed'), 1)
})

test('the claim of a request that takes long is renewed every five seconds', async () => {
  const { quoteId } = succeeded(await create('long-quote'))
  const [slow] = await holdingQuote(quoteId, async () => {
    const pending = partner.post(`/Quotes/${quoteId}/cancel`, undefined, withKey('long'))
    await untilWaiting(1)
    const before = (await rowOf('long')).claimed_until
    clock.moveTo(new Date(clock.now().getTime() + 14_000).toISOString())
    await waitFor('the claim is renewed', async () => {
      const { rows } = await beside.query('select claimed_until from idempotency_keys where key = $1', ['long'])
      return rows[0].claimed_until > before
    })
    return [pending] as const
  }).then((pending) => Promise.all(pending))
  assert.equal(succeeded(slow).status, 'cancelled')
})

test('only one of many simultaneous requests takes over an expired claim', async () => {
  await leaveClaim('crashed-too', -1)
  const responses = await Promise.all(Array.from({ length: 20 }, () => create('crashed-too')))
  assert.equal(await quotesWith('crashed-too'), 1)
  for (const { status } of responses) assert.ok(status === 200 || status === 409)
  assert.ok(responses.some(({ status }) => status === 200))
})

test('a request is rejected if its key has an expired claim for a different body', async () => {
  await leaveClaim('crashed-other', -1)
  rejected(await partner.post('/Quotes', bodyOf('else'), withKey('crashed-other')), 422, 'idempotency_key_reused')
})

test('a slow attempt changes nothing if another request has taken over its key', async () => {
  const { quoteId } = succeeded(await create('overtaken-quote'))
  const tenants = [{ name: 'Ada Slow', email: 'ada@example.com' }]
  const add = () => partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants }, withKey('overtaken'))
  const [slow, quick] = await holdingQuote(quoteId, async () => {
    const first = add()
    await untilWaiting(1)
    clock.moveTo(new Date(clock.now().getTime() + 61_000).toISOString())
    const second = add()
    await untilWaiting(2)
    return [first, second] as const
  }).then((both) => Promise.all(both))
  // The claim decides which change is kept, no matter which request gets the lock first.
  rejected(slow, 409, 'idempotency_in_flight')
  assert.equal(succeeded(quick).tenants.length, 1)
  const replayed = await add()
  assert.equal(replayed.text, quick.text)
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).tenants.length, 1)
})

test('a response is replayed for seven days; after that the request runs again', async () => {
  const first = await create('a-week')
  const { created_at: createdAt, expires_at: expiresAt } = await rowOf('a-week')
  assert.equal(expiresAt.getTime() - createdAt.getTime(), 7 * 86_400_000)
  clock.moveTo(new Date(createdAt.getTime() + 7 * 86_400_000 - 60_000).toISOString())
  partner = await connectPartner(service.baseUrl, service.credentials)
  const replayed = await create('a-week')
  assert.equal(replayed.text, first.text)
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
  clock.moveTo(new Date(createdAt.getTime() + 7 * 86_400_000 + 1_000).toISOString())
  rejected(
    await create('another-key-is-not-old').then(() => partner.post('/Quotes', {}, withKey('another-key-is-not-old'))),
    422,
    'idempotency_key_reused',
  )
  const anew = await create('a-week')
  assert.equal(anew.headers.get('idempotent-replayed'), null)
  assert.notEqual(succeeded(anew).quoteId, succeeded(first).quoteId)
  assert.equal((await create('a-week')).text, anew.text)
})

test("a response is stored for seven real days even if the partner's sandbox clock moves", async () => {
  const first = await create('real-time')
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds: 30 * 86_400 }))
  assert.equal((await create('real-time')).text, first.text)
})

test('a stored response is encrypted, and its row contains only a hash of the request and the ids it concerns', async () => {
  const first = await create('stored')
  const { subject_id: subjectId, ...row } = await rowOf('stored')
  assert.equal(subjectId, succeeded(first).quoteId)
  assert.match(row.response_encrypted, /^[\w-]+\.[\w-]+$/)
  const stored = JSON.stringify(row)
  for (const part of [succeeded(first).quoteId, addressUid]) assert.ok(!stored.includes(part))
  assert.match(row.request_sha256, /^[\w-]{43}$/)
})

test('the hash of a request is keyed, so that nobody who reads the table can find its contents by trying', async () => {
  succeeded(await create('guessed'))
  const { request_sha256: stored } = await rowOf('guessed')
  const digest = createHash('sha256').update(`POST\n/Quotes\n${JSON.stringify(bodyOf('guessed'))}`)
  for (const encoding of ['hex', 'base64url'] as const) assert.notEqual(stored, digest.copy().digest(encoding))
})
