import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())

/** A partner whose receiver is verified and then rejects every event, with one event that failed once. */
async function startFailing(t: TestContext) {
  const partner = await connectNewPartner(service)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(500).end()),
  )
  const webhook = { url: `https://localhost:${receiver.port}/hook`, events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  await waitFor(
    'the webhook is verified',
    () => read(),
    ({ verification }) => verification === 'verified',
  )
  await createQuote(partner)
  await attempted(1)
  async function read() {
    return succeeded(await partner.get(`/Webhooks/${webhookId}`))
  }
  /** Waits until the event's delivery has had this many attempts. */
  async function attempted(count: number) {
    const deliveries = await waitForDeliveries(partner, webhookId, (all) =>
      all.some(({ eventType, attemptCount }) => eventType === 'quote.status.changed' && attemptCount >= count),
    )
    return deliveries.find(({ eventType }) => eventType === 'quote.status.changed') ?? assert.fail()
  }
  const advance = async (seconds: number) =>
    succeeded(await partner.post(`/Sandbox/webhooks/${webhookId}/advance`, { seconds }))
  return { partner, webhookId, receiver, read, attempted, advance }
}

test('every retry of the schedule can be made due at once, until the delivery has failed', async (t) => {
  const { receiver, attempted, advance } = await startFailing(t)
  const { retrySeconds } = service.config.webhooks
  assert.ok(retrySeconds.length > 5)
  for (const [index, pause] of retrySeconds.entries()) {
    // A pause may be a fifth longer than the schedule says.
    await advance(Math.ceil(pause * 1.25) + 1)
    const count = index + 2
    const { status } = await attempted(count)
    assert.equal(status, count > retrySeconds.length ? 'failed' : 'pending')
  }
  assert.equal(receiver.events().length, retrySeconds.length + 1)
})

test('a webhook whose failures are five days old is disabled by the next failure', async (t) => {
  const { read, attempted, advance } = await startFailing(t)
  assert.equal((await read()).status, 'active')
  const { failingSince } = await advance(5 * 86_400)
  assert.ok(failingSince !== null && Date.now() - Date.parse(failingSince) >= 5 * 86_400_000)
  await attempted(2)
  const { status, disabledReason } = await waitFor(
    'the webhook is disabled',
    read,
    (webhook) => webhook.status === 'disabled',
  )
  assert.deepEqual([status, disabledReason], ['disabled', 'Every delivery failed for five days.'])
})

test("another partner's webhook returns 404, and seconds out of range return 422", async (t) => {
  const { webhookId, partner } = await startFailing(t)
  const other = await connectNewPartner(service)
  const path = `/Sandbox/webhooks/${webhookId}/advance` as const
  assertProblem(await other.post(path, { seconds: 1 }), 'not_found')
  for (const seconds of [0, 864_001])
    assertProblem(await partner.post(path, { seconds }), 'validation_failed', ['/seconds'])
})
