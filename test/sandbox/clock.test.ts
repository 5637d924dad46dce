import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { waitForDeliveries } from '../support/deliveries.ts'
import { startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' }, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const path = '/Sandbox/clock/advance'
const tenYears = 315_576_000

test('advancing the clock returns the new time and total offset, and advances add up', async () => {
  const own = await connectNewPartner(service)
  const first = succeeded(await own.post(path, { seconds: 3_600 }))
  assert.equal(first.offsetSeconds, 3_600)
  assert.equal(first.now.slice(0, 16), '2026-12-01T10:00')
  const second = succeeded(await own.post(path, { seconds: 86_400 }))
  assert.equal(second.offsetSeconds, 90_000)
  assert.equal(second.now.slice(0, 16), '2026-12-02T10:00')
})

test("advancing the clock affects the dates and expiry of only that partner's quotes", async () => {
  const own = await connectNewPartner(service)
  const other = await connectNewPartner(service)
  const { quoteId } = await startHousehold(own)
  const { quoteId: othersId } = await startHousehold(other)
  await advanceClock(own, { days: 15 })
  assertProblem(
    await own.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['broadband-standard'] }),
    'quote_expired',
  )
  const created = await createQuote(own)
  assert.equal(created.createdAt.slice(0, 10), '2026-12-16')
  assert.equal(created.contractStartDate, '2027-01-28')
  assert.equal((await totalCost(own, quoteId)).QuotePricesUpdated, true)
  assert.equal((await totalCost(other, othersId)).QuotePricesUpdated, false)
  assert.equal((await createQuote(other)).createdAt.slice(0, 10), '2026-12-01')
})

test('tokens stay valid when the sandbox clock moves by years', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await createQuote(own)
  await advanceClock(own, { days: 3_000 })
  assert.equal((await getQuote(own, quoteId)).quoteId, quoteId)
})

test('the clock moves only forward, up to ten years in total; anything else returns 422 and changes nothing', async () => {
  const own = await connectNewPartner(service)
  for (const seconds of [-1, tenYears + 1]) {
    assertProblem(await own.post(path, { seconds }), 'validation_failed', ['/seconds out_of_range'])
  }
  assert.equal(succeeded(await own.post(path, { seconds: tenYears })).offsetSeconds, tenYears)
  assertProblem(await own.post(path, { seconds: 1 }), 'validation_failed', ['/seconds out_of_range'])
  assert.equal(succeeded(await own.post(path, { seconds: 0 })).offsetSeconds, tenYears)
})

test('if several requests advance the clock at the same time, their advances add up', async () => {
  const own = await connectNewPartner(service)
  await Promise.all(Array.from({ length: 5 }, () => own.post(path, { seconds: 10 })))
  assert.equal(succeeded(await own.post(path, { seconds: 0 })).offsetSeconds, 50)
})

test('moving the clock to a time sets it to that time, and reading it returns it without moving it', async () => {
  const own = await connectNewPartner(service)
  const { now, offsetSeconds } = succeeded(await own.get('/Sandbox/clock'))
  assert.deepEqual([now.slice(0, 16), offsetSeconds], ['2026-12-01T09:00', 0])
  const moved = succeeded(await own.post(path, { to: '2027-03-01T12:00:00+01:00' }))
  assert.match(moved.now, /^2027-03-01T11:00:00/)
  const read = succeeded(await own.get('/Sandbox/clock'))
  assert.equal(read.offsetSeconds, moved.offsetSeconds)
  assert.match(read.now, /^2027-03-01T11:00/)
  assert.equal((await createQuote(own)).createdAt.slice(0, 10), '2027-03-01')
})

test('moving the clock to a time before its own, or more than ten years ahead, returns 422 and changes nothing', async () => {
  const own = await connectNewPartner(service)
  const { offsetSeconds } = succeeded(await own.post(path, { to: '2027-03-01T12:00:00Z' }))
  for (const to of ['2027-03-01T11:59:58Z', '2037-01-01T00:00:00Z'])
    assertProblem(await own.post(path, { to }), 'validation_failed', ['/to out_of_range'])
  assert.equal(succeeded(await own.get('/Sandbox/clock')).offsetSeconds, offsetSeconds)
})

test('a request with both seconds and to returns 422, and one with neither 400', async () => {
  assertProblem(await partner.post(path, { seconds: 1, to: '2027-03-01T12:00:00Z' }), 'validation_failed', [
    '/seconds not_allowed',
  ])
  assertProblem(await partner.post(path, {}), 'invalid_request', [' required'])
})

test("moving a webhook's retries forward sends each at once until the message fails, and five days disable it", async (t) => {
  const own = await connectNewPartner(service)
  const receiver = await startReceiver(t, 500)
  const webhook = { url: `https://localhost:${receiver.port}/hook`, events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await own.post('/Webhooks', webhook))
  const read = async () => succeeded(await own.get(`/Webhooks/${webhookId}`))
  await waitFor('the webhook is verified', read, ({ verification }) => verification === 'verified')
  const attempted = async (count: number) => {
    const isIt = ({ eventType, attemptCount }: { eventType: string; attemptCount: number }) =>
      eventType === 'quote.status.changed' && attemptCount === count
    return (await waitForDeliveries(own, webhookId, (all) => all.some(isIt))).find(isIt)?.status
  }
  const advance = async (seconds: number) =>
    succeeded(await own.post(`/Sandbox/webhooks/${webhookId}/advance`, { seconds }))
  await createQuote(own)
  const { retrySeconds } = service.config.webhooks
  for (const [index, pause] of retrySeconds.entries()) {
    assert.equal(await attempted(index + 1), 'pending')
    // A pause may be a fifth longer than the schedule says.
    await advance(Math.ceil(pause * 1.25) + 1)
  }
  assert.equal(await attempted(retrySeconds.length + 1), 'failed')
  await createQuote(own)
  assert.equal(await attempted(1), 'pending')
  await advance(432_000)
  assert.match(
    (await waitFor('it is disabled', read, ({ status }) => status === 'disabled')).disabledReason ?? '',
    /five days/,
  )
})
