import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { type ApiResponse, call, connectPartner, type Partner } from '../../support/client.ts'
import { holdTimeouts } from '../../support/held-timeouts.ts'
import { connectOperator } from '../../support/operator.ts'
import { connectNewPartner, connectWithScopes } from '../../support/partners.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'
import { shareTestService } from '../../support/shared-service.ts'

// The clock stands still, so a one-second window ends only when the test moves the clock. The timer that deletes old
// windows is held too.
const windowMs = 1_000
mock.timers.enable({ apis: ['Date'], now: Date.now() })
after(() => mock.timers.reset())
holdTimeouts((ms) => ms === windowMs)

const service = await startTestService({ RATE_LIMIT_PER_SECOND: '4', TOKEN_RATE_LIMIT_PER_MINUTE: '6' })
after(() => service.stop())

/** Moves the clock past every current window, so that the next call starts a new one. */
const nextWindow = () => mock.timers.setTime(Date.now() + windowMs)

async function spend(partner: Partner, calls: number, path = '/Quotes'): Promise<ApiResponse[]> {
  return Promise.all(Array.from({ length: calls }, () => partner.get(path)))
}

const limitOf = (response: ApiResponse) => [response.headers.get('ratelimit-policy'), response.headers.get('ratelimit')]

test('every rate-limited response, including errors, shows the policy and the remaining quota', async () => {
  const partner = await connectNewPartner(service)
  const responses = [
    await partner.get('/Quotes'),
    await partner.get('/Quotes/quote_unknown'),
    await partner.post('/Quotes', {}),
    await partner.get('/Quotes?unknown=1'),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 404, 400, 400],
  )
  assert.deepEqual(
    responses.map(limitOf),
    [3, 2, 1, 0].map((left) => ['"default";q=4;w=1', `"default";r=${left};t=1`]),
  )
})

test('calls return 429 with Retry-After once the quota is used up, and work again after that time', async () => {
  const partner = await connectNewPartner(service)
  const responses = await spend(partner, 6)
  const [tooMany, ...others] = responses.filter(({ status }) => status === 429)
  assert.ok(tooMany)
  assert.equal(others.length, 1)
  const problem = rejected(tooMany, 429, 'rate_limited')
  assert.match(problem.detail, /Wait 1 s/)
  assert.equal(tooMany.headers.get('retry-after'), '1')
  assert.deepEqual(limitOf(tooMany), ['"default";q=4;w=1', '"default";r=0;t=1'])
  mock.timers.setTime(Date.now() + 1_000 * Number(tooMany.headers.get('retry-after')))
  assert.equal((await partner.get('/Quotes')).status, 200)
})

test("all tokens of a partner share one quota; other partners' calls do not count", async () => {
  const [one, other] = [await connectPartner(service.baseUrl, service.credentials), await connectNewPartner(service)]
  const sameUnderOtherCredentials = await connectWithScopes(service, ['quotes:read'])
  await spend(one, 4)
  assert.equal((await sameUnderOtherCredentials.get('/Quotes')).status, 429)
  assert.equal((await other.get('/Quotes')).status, 200)
})

test('any number of calls without a valid token return 401 and never 429', async () => {
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => call(service.baseUrl, 'GET', '/partner-api/Quotes')),
  )
  for (const response of responses) {
    assert.equal(response.status, 401)
    assert.deepEqual(limitOf(response), [null, null])
  }
})

test('a POST beyond the quota has no effect and does not use up its Idempotency-Key', async () => {
  const partner = await connectNewPartner(service)
  const headers = { 'Idempotency-Key': 'beyond-the-quota' }
  const advance = () => partner.post('/Sandbox/clock/advance', { seconds: 60 }, { headers })
  await spend(partner, 4)
  assert.equal((await advance()).status, 429)
  nextWindow()
  const response = await advance()
  assert.equal(response.headers.get('idempotent-replayed'), null)
  assert.equal(succeeded(response).offsetSeconds, 60)
})

test('each client has a separate quota for token calls, and exceeding it returns a 429 in the format of token errors', async () => {
  const ask = (path: string, clientId: string) =>
    call(service.baseUrl, 'POST', path, { clientId, clientSecret: 'a wrong one' })
  const clientId = 'sb_asks_too_often'
  const responses: ApiResponse[] = []
  for (const path of ['/partner-api/Auth/token', '/oauth/token', '/oauth/token'])
    responses.push(...(await Promise.all([1, 2, 3].map(() => ask(path, clientId)))))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 401, 429, 429, 429])
  assert.deepEqual(
    responses.map((response) => limitOf(response)[0]),
    responses.map(() => '"token";q=6;w=60'),
  )
  const tooMany = responses.at(-1)
  assert.equal(tooMany?.status, 429)
  assert.deepEqual(Object.keys(JSON.parse(tooMany.text)), ['error', 'error_description'])
  assert.equal(tooMany.headers.get('cache-control'), 'no-store')
  const wait = Number(tooMany.headers.get('retry-after'))
  assert.ok(wait > 50 && wait <= 60)
  assert.match(String(limitOf(tooMany)[1]), new RegExp(`^"token";r=0;t=(${wait}|${wait - 1})$`))
  assert.equal((await ask('/oauth/token', 'sb_another')).status, 401)
})

test('what anybody may send has a quota per address, and its 429 responses must not be cached', async () => {
  for (const [method, path] of [
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/security.txt'],
    ['GET', '/terms/none'],
    ['GET', '/openapi.json'],
    ['GET', '/operator-api/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/docs/no-such-guide'],
    ['GET', '/'],
    ['POST', '/'],
    ['POST', '/docs/reference/token'],
    ['POST', '/no-such-path'],
    ['POST', '/partner-api/No-such-path'],
    ['POST', '/processor-webhooks/stripe'],
  ] as const) {
    nextWindow()
    const send = () => call(service.baseUrl, method, path, method === 'POST' ? {} : undefined)
    const responses = await Promise.all(Array.from({ length: 6 }, send))
    assert.equal(responses.filter((response) => response.status === 429).length, 2, `${method} ${path}`)
    for (const response of responses.filter((each) => each.status === 429)) {
      assert.equal(response.headers.get('ratelimit-policy'), '"public";q=4;w=1')
      assert.equal(response.headers.get('retry-after'), '1')
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
  }
  nextWindow()
  assert.equal((await call(service.baseUrl, 'GET', '/.well-known/jwks.json')).status, 200)
})

test('a file of the operator counts as 20 calls, and a page as one for each 100 rows', async () => {
  const operator = await connectOperator(service)
  for (const [path, policy, left] of [
    ['/Contracts?limit=100', 'operator', 3],
    ['/Contracts?limit=201', 'operator', 1],
    ['/PriorityServices?limit=300', 'operator', 1],
    ['/Contracts/export', 'operator', 0],
    ['/Reports/funnel/export?from=2026-01-01&to=2026-01-02', 'operator', 0],
    ['/workplace/sign-in', 'workplace', 3],
    ['/workplace/sign-in?format=csv', 'workplace', 0],
  ] as const) {
    nextWindow()
    const isPage = policy === 'workplace'
    const response = isPage ? await call(service.baseUrl, 'GET', path) : await operator.get(path)
    assert.equal(response.headers.get('ratelimit'), `"${policy}";r=${left};t=1`, path)
  }
  nextWindow()
  succeeded(await operator.get('/Contracts/export'))
  rejected(await operator.get('/Contracts'), 429, 'rate_limited')
})

test('a limit of 0 rejects no call and adds no header', async () => {
  const free = await shareTestService()
  const partner = await connectPartner(free.baseUrl, free.credentials)
  const responses = await spend(partner, 120)
  assert.ok(responses.every(({ status }) => status === 200))
  assert.ok(responses.every((response) => limitOf(response).every((header) => header === null)))
})
