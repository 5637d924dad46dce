import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ApiResponse, call } from '../support/client.ts'
import { type ServiceUnderTest, startTestService } from '../support/service.ts'
import { assertTokenError } from './token-calls.ts'

/**
 * In these tests, a client may request 3 tokens a minute from one address, and an address may have 15 failed requests a
 * minute.
 */
const limits = { TOKEN_RATE_LIMIT_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' }
const service = await startTestService(limits)
after(() => service.stop())

/** Requests a token through the trusted proxy. */
function askFrom(
  address: string,
  { clientId = service.credentials.clientId, clientSecret = 'a wrong one' } = {},
  at: Pick<ServiceUnderTest, 'baseUrl'> = service,
): Promise<ApiResponse> {
  return call(
    at.baseUrl,
    'POST',
    '/oauth/token',
    { clientId, clientSecret },
    { headers: { 'X-Forwarded-For': address } },
  )
}
const right = service.credentials

async function statuses(calls: number, ask: (index: number) => Promise<ApiResponse>): Promise<Record<number, number>> {
  const responses = await Promise.all(Array.from({ length: calls }, (_, index) => ask(index)))
  const counted: Record<number, number> = {}
  for (const { status } of responses) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

test("an attacker who guesses a client's secret is blocked, but the client still gets tokens at its own address", async () => {
  assert.deepEqual(await statuses(9, () => askFrom('203.0.113.1')), { 401: 3, 429: 6 })
  const stopped = await askFrom('203.0.113.1', right)
  assert.match(assertTokenError(stopped, 429, 'slow_down'), /Wait \d+ s/)
  assert.ok(Number(stopped.headers.get('retry-after')) >= 1)
  assert.equal((await askFrom('203.0.113.2', right)).status, 200)
})

test('an address that tries many client ids is blocked before any secret is checked; other addresses are not affected', async () => {
  const invent = (index: number) => askFrom('203.0.113.10', { clientId: `sb_invented_${index}` })
  assert.deepEqual(await statuses(40, invent), { 401: 15, 429: 25 })
  const stopped = await askFrom('203.0.113.10', { clientId: 'sb_one_more' })
  assertTokenError(stopped, 429, 'slow_down')
  assert.equal(stopped.headers.get('ratelimit-policy'), '"token";q=3;w=60, "token-failures";q=15;w=60')
  assert.match(stopped.headers.get('ratelimit') ?? '', /^"token";r=2;t=\d+, "token-failures";r=0;t=\d+$/)
  assert.equal((await askFrom('203.0.113.11', { clientId: 'sb_one_more' })).status, 401)
})

test('IPv6 addresses in the same /64 count as one address; those in a different /64 count separately', async () => {
  const ask = (index: number) => askFrom(`2001:db8:0:1::${index + 1}`, { clientId: 'sb_sixth' })
  assert.deepEqual(await statuses(5, ask), { 401: 3, 429: 2 })
  assert.equal((await askFrom('2001:db8:0:2::1', { clientId: 'sb_sixth' })).status, 401)
})

test('a client under attack from many addresses can still get tokens from an address where its secret was used before', async () => {
  const attacked = await startTestService(limits)
  after(() => attacked.stop())
  const { clientId, clientSecret } = attacked.credentials
  const known = await askFrom('198.51.100.1', attacked.credentials, attacked)
  assert.equal(known.status, 200)
  const attack = (index: number) => askFrom(`203.0.113.${index}`, { clientId }, attacked)
  assert.deepEqual(await statuses(20, attack), { 401: 15, 429: 5 })
  assert.equal((await askFrom('198.51.100.2', { clientId, clientSecret }, attacked)).status, 429)
  assert.equal((await askFrom('198.51.100.1', { clientId, clientSecret }, attacked)).status, 200)
})

test("simultaneous token calls from many addresses succeed only up to the client's quota", async () => {
  const busy = await startTestService(limits)
  after(() => busy.stop())
  const ask = (index: number) => askFrom(`198.51.100.${index + 1}`, busy.credentials, busy)
  assert.deepEqual(await statuses(12, ask), { 200: 3, 429: 9 })
})
