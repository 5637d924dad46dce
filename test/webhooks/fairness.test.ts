import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { attemptTimeoutMs } from '../../src/webhooks/delivery/response-outcome.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { endQueuedDeliveries } from './dispatching-worker-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const hanging = respondToEvents(() => undefined)

/** A lab in which attempts never time out, so that a hanging receiver hangs until the test has ended. */
function openPatientLab(t: TestContext): Promise<WebhookLab> {
  holdTimeouts((ms) => ms === attemptTimeoutMs, t)
  return openLab(t)
}

test('healthy receivers get all events while a different receiver hangs and has a long queue', async (t) => {
  const lab = await openPatientLab(t)
  const dead = await startReceiver(t, hanging)
  const healthy = [await startReceiver(t), await startReceiver(t)]
  await lab.register({ url: `https://receiver.test:${dead.port}/` })
  lab.startWorker({ limits: { slots: 8 } })
  await lab.happen(Array.from({ length: 20 }, () => statusChanges(1)).flat())
  await waitFor('events are being sent to the hanging receiver', () => dead.events().length > 0)
  for (const receiver of healthy) await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.happen(Array.from({ length: 15 }, () => statusChanges(2)).flat())
  await waitFor('the healthy receivers have received all events', () =>
    healthy.every((receiver) => receiver.events().length === 30),
  )
  assert(dead.events().length < 8, 'the hanging receiver never occupies all slots')
})

/** Sends a byte from time to time, but never completes the response. */
const dripping = respondToEvents((_received, response) => {
  response.writeHead(200, { 'Content-Length': 10_000 })
  const drip = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(drip))
})
const unavailable = respondToEvents((_received, response) => {
  response.statusCode = 503
  response.end()
})

test('a healthy receiver gets all events in order while others hang, respond byte by byte or return 503', async (t) => {
  const lab = await openPatientLab(t)
  const [silent, slow, broken] = [
    await startReceiver(t, hanging),
    await startReceiver(t, dripping),
    await startReceiver(t, unavailable),
  ]
  const healthy = await startReceiver(t)
  for (const { port } of [silent, slow, broken, healthy]) await lab.register({ url: `https://receiver.test:${port}/` })
  // Fewer slots than events: a worker that waited for the slow receivers would have none left.
  lab.startWorker({ limits: { slots: 16 }, retrySeconds: [0.1, 0.1] })
  for (let quote = 0; quote < 10; quote += 1) await lab.happen(statusChanges(3, `quote_${quote}`))
  await waitFor('it has everything', () => healthy.events().length === 30)
  for (let quote = 0; quote < 10; quote += 1) {
    const own = healthy.events().filter(({ message }) => message.data.quoteId === `quote_${quote}`)
    assert.deepEqual(
      own.map(({ message }) => message.data.reference),
      ['step 0', 'step 1', 'step 2'],
    )
  }
  // None of the slow receivers' attempts has ended yet.
  const ended = await lab.rows(
    `select distinct url from deliveries join webhooks using (webhook_id) where is_event and attempt_count > 0`,
  )
  const urls = ended.map(({ url }) => url)
  for (const { port, events } of [silent, slow]) {
    assert.ok(events().length > 0)
    assert.ok(!urls.includes(`https://receiver.test:${port}/`))
  }
})

test('a healthy receiver still gets its events while many failing ones hang', async (t) => {
  const lab = await openPatientLab(t)
  const dead = await startReceiver(t, hanging)
  const partners = [await lab.newPartner(), await lab.newPartner()]
  for (const partner of partners) {
    for (let count = 0; count < 15; count += 1)
      await lab.register({ url: `https://receiver.test:${dead.port}/${count}` }, partner)
  }
  await lab.rows(`update webhooks set failing_since = now(), last_failed_at = now()`)
  await endQueuedDeliveries(lab, 'delivered')
  const worker = { slots: 16 }
  lab.startWorker({ limits: worker })
  for (const partner of partners) await lab.happen([...statusChanges(1), ...statusChanges(1)], partner)
  await waitFor('the failing receivers hang', () => dead.events().length === 8)
  const healthy = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${healthy.port}/` })
  await lab.happen(statusChanges(5))
  await waitFor('the healthy receiver has all events', () => healthy.events().length === 5)
  assert.equal(dead.events().length, 8)
})
