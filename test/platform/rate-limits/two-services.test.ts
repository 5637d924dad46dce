import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { connectPartner, partnerWithToken } from '../../support/client.ts'
import { holdTimeouts } from '../../support/held-timeouts.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { startTestRedis } from '../../support/redis.ts'
import { startSecondService } from '../../support/second-service.ts'
import { startTestService } from '../../support/service.ts'

// The clock stands still, so a one-second window ends only when the test moves the clock. Calls to Redis never time
// out.
mock.timers.enable({ apis: ['Date'], now: Date.now() })
after(() => mock.timers.reset())
const [windowMs, respondWithinMs] = [1_000, 250]
holdTimeouts((ms) => ms === windowMs || ms === respondWithinMs)

const redis = await startTestRedis()
const service = await startTestService({
  RATE_LIMIT_PER_SECOND: '10',
  TOKEN_RATE_LIMIT_PER_MINUTE: '1000',
  REDIS_URL: redis.url,
})
const beside = await startSecondService(service)
after(async () => {
  await beside.stop()
  await service.stop()
  await redis.stop()
})

/** How many concurrent calls of a new partner succeed when they are spread over both services. */
async function succeededOf(calls: number): Promise<number> {
  const here = await connectNewPartner(service)
  const there = partnerWithToken(beside.baseUrl, here.token)
  const responses = await Promise.all(
    Array.from({ length: calls }, (_, index) => (index % 2 === 0 ? here : there).get('/Quotes')),
  )
  return responses.filter(({ status }) => status === 200).length
}

test('two services with one Redis together accept exactly the quota', async () => {
  assert.equal(await succeededOf(30), 10)
  assert.ok(redis.commands.includes('EVAL'))
})

test('the keys that token calls leave in Redis contain neither a client id nor an address', async () => {
  await connectPartner(service.baseUrl, service.credentials)
  const keys = redis.keys()
  assert.ok(keys.some((key) => key.includes(':token:')) && keys.some((key) => key.includes(':token-known:')))
  for (const key of keys) {
    assert.match(key, /^housebill:[\w-]{12}:[a-z-]+:[\w-]+$/)
    assert.ok(!key.includes(service.credentials.clientId) && !key.includes('127.0.0.1'))
  }
})

test('without Redis, each service separately allows the full quota, and no call fails', async () => {
  await redis.goDown()
  try {
    assert.equal(await succeededOf(30), 20)
    const partner = await connectPartner(service.baseUrl, service.credentials)
    assert.equal((await partner.get('/Quotes')).headers.get('ratelimit-policy'), '"default";q=10;w=1')
  } finally {
    await redis.comeBack()
  }
})
