import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { echoChallenge, startReceiver } from './receiver-fixture.ts'

const settings = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1' }
/** Each test about a limit has a host of its own, because hosts have the limits. */
const resolver = { resolve: async () => ['127.0.0.1'] }
const service = await startTestService(settings, { resolver })
const patient = await startTestService(
  { ...settings, WEBHOOK_RETRY_SECONDS: '3600', WEBHOOK_REQUIRE_VERIFICATION: 'false' },
  { resolver },
)
after(() => Promise.all([service.stop(), patient.stop()]))
const partner = await connectPartner(service.baseUrl, service.credentials)

test('with the default settings a webhook gets test events, but no events until its receiver echoes the challenge', async (t) => {
  let isWilling = false
  const unverified = await startReceiver(t, (received, response, count) =>
    isWilling ? echoChallenge(received, response, count) : response.end('ok'),
  )
  const verified = await startReceiver(t)
  const register = async (port: number) =>
    succeeded(await partner.post('/Webhooks', { url: `https://localhost:${port}/`, events: ['quote.status.changed'] }))
  const { webhookId } = await register(unverified.port)
  await register(verified.port)
  const { quoteId } = await startHousehold(partner)
  await waitFor('the verified webhook has the events', () => verified.events().length >= 2)
  succeeded(await partner.post(`/Webhooks/${webhookId}/send-test-event`))
  await waitFor('the test event arrives', () => unverified.events().length === 1)
  const challenges = unverified.received.length
  await waitFor('the challenge is sent again', () => unverified.received.length > challenges)
  assert.ok(!unverified.received.some(({ body }) => body.includes(quoteId)))
  assert.equal(succeeded(await partner.get(`/Webhooks/${webhookId}`)).verification, 'pending')

  isWilling = true
  await waitFor('the events follow', () => unverified.received.filter(({ body }) => body.includes(quoteId)).length >= 2)
})

test('a sandbox that is set up so sends events to webhooks that are not verified', async (t) => {
  const own = await connectPartner(patient.baseUrl, patient.credentials)
  const receiver = await startReceiver(t, (_received, response) => response.end('ok'))
  const url = `https://localhost:${receiver.port}/`
  const { webhookId } = succeeded(await own.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await startHousehold(own)
  await waitFor('the events arrive', () => receiver.events().length >= 2)
  assert.equal(succeeded(await own.get(`/Webhooks/${webhookId}`)).verification, 'pending')
})

test('a host that has not echoed a challenge gets five test messages an hour, and none of them twice', async (t) => {
  let isWilling = false
  const receiver = await startReceiver(t, (received, response, count) => {
    if (isWilling) return echoChallenge(received, response, count)
    response.statusCode = 500
    response.end()
  })
  const register = async (path: string) =>
    succeeded(
      await partner.post('/Webhooks', {
        url: `https://five.test:${receiver.port}/${path}`,
        events: ['quote.status.changed'],
      }),
    ).webhookId
  const [first, second] = [await register('a'), await register('b')]
  const sendTo = (webhookId: string) => partner.post(`/Webhooks/${webhookId}/send-test-event`)
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => sendTo(index % 2 === 0 ? first : second)))
  const sent = outcomes.filter(({ status }) => status === 200).map(succeeded)
  assert.equal(sent.length, 5)
  const statusOf = async (deliveryId: string) => succeeded(await partner.get(`/Deliveries/${deliveryId}`)).status
  for (const { deliveryId } of sent)
    await waitFor('the only attempt ends', async () => (await statusOf(deliveryId)) === 'failed')
  assert.equal(receiver.events().length, 5)

  const limited = await sendTo(second)
  assert.match(rejected(limited, 429, 'rate_limited').detail, /five\.test gets at most 5 test messages an hour/)
  assert.ok(Number(limited.headers.get('retry-after')) > 3_500)
  rejected(await partner.post(`/Deliveries/${sent[0]?.deliveryId}/redeliver`), 429, 'rate_limited')
  succeeded(await partner.delete(`/Webhooks/${first}`))
  rejected(await sendTo(await register('c')), 429, 'rate_limited')
  const away = { url: `https://127.0.0.1:${receiver.port}/elsewhere` }
  succeeded(await partner.patch(`/Webhooks/${second}`, away))
  rejected(await sendTo(await register('d')), 429, 'rate_limited')
  succeeded(await sendTo(second))
  succeeded(await partner.patch(`/Webhooks/${second}`, { url: `https://five.test:${receiver.port}/b` }))
  rejected(await sendTo(second), 429, 'rate_limited')

  isWilling = true
  succeeded(await partner.post(`/Webhooks/${second}/send-verification`))
  await waitFor(
    'it is verified',
    async () => succeeded(await partner.get(`/Webhooks/${second}`)).verification === 'verified',
  )
  succeeded(await sendTo(second))
})

test('a host that has not echoed a challenge gets twenty attempts at challenges an hour, whether sent, repeated or moved to it', async (t) => {
  const sender = await connectPartner(patient.baseUrl, patient.credentials)
  const receiver = await startReceiver(t, (_received, response) => response.end('ok'))
  const url = `https://twenty.test:${receiver.port}/`
  const { webhookId } = succeeded(await sender.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  const send = () => sender.post(`/Webhooks/${webhookId}/send-verification`)
  await waitFor('the first challenge arrives', () => receiver.received.length === 1)
  const ids: string[] = []
  // The last one waits for its next attempt, which counts too.
  for (let sent = 1; sent < 19; sent++) {
    ids.push(succeeded(await send()).deliveryId)
    await waitFor('the next challenge arrives', () => receiver.received.length === sent + 1)
  }
  const last = ids.at(-1) ?? ''
  await waitFor(
    'the last attempt is recorded',
    async () => succeeded(await sender.get(`/Deliveries/${last}`)).attempts.length === 1,
  )
  const limited = await send()
  assert.match(rejected(limited, 429, 'rate_limited').detail, /twenty\.test gets at most 20 challenge messages an hour/)
  assert.ok(Number(limited.headers.get('retry-after')) > 3_000)
  rejected(await sender.post(`/Deliveries/${ids[0]}/redeliver`), 429, 'rate_limited')
  const other = succeeded(
    await sender.post('/Webhooks', { url: 'https://127.0.0.1:9/', events: ['quote.status.changed'] }),
  )
  succeeded(await sender.patch(`/Webhooks/${webhookId}`, { url: 'https://127.0.0.1:9/' }))
  succeeded(await sender.patch(`/Webhooks/${other.webhookId}`, { url }))
  rejected(await sender.post(`/Webhooks/${other.webhookId}/send-verification`), 429, 'rate_limited')
})

test('a challenge that is replaced while it is being sent has an attempt, so it counts', async (t) => {
  const receiver = await startReceiver(t, () => undefined)
  const url = `https://replaced.test:${receiver.port}/`
  const { webhookId } = succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await waitFor('the challenge arrives', () => receiver.received.length === 1)
  succeeded(await partner.post(`/Webhooks/${webhookId}/send-verification`))
  const { data } = succeeded(await partner.get(`/Webhooks/${webhookId}/deliveries?status=failed`))
  const [{ deliveryId } = assert.fail('no delivery has failed')] = data
  const { attempts, givenUpBecause } = succeeded(await partner.get(`/Deliveries/${deliveryId}`))
  assert.equal(givenUpBecause, 'challenge_replaced')
  assert.deepEqual(
    attempts.map(({ attemptNumber, error }) => [attemptNumber, error]),
    [[1, 'A newer challenge replaced this one while it was being sent, so its outcome was not recorded.']],
  )
})
