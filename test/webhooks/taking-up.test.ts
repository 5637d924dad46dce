import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispatchEvents } from '../../src/domain/webhooks/delivery/dispatch-events.ts'
import { leaseAll, worker } from './dispatching-worker-fixture.ts'
import { startReceiver, until } from './receiver-fixture.ts'
import { openLab, quoteStory, type WebhookLab } from './webhook-fixture.ts'

/** A webhook of this partner, and nothing on its way to it. */
async function register(lab: WebhookLab, partner = lab.caller): Promise<string> {
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' }, partner)
  await lab.rows('delete from deliveries')
  return webhookId
}

/** So many events, each of a quote of its own. */
async function happenSingly(lab: WebhookLab, count: number, partner = lab.caller): Promise<void> {
  await lab.happen(Array.from({ length: count }, () => quoteStory(1)).flat(), partner)
}

const inOutbox = async (lab: WebhookLab) => (await lab.rows('select from events where dispatched_at is null')).length

test('a delivery, when the worker that dispatches has room, is in its hand from the start, and free when the lease ends', async (t) => {
  const lab = await openLab(t)
  const webhookId = await register(lab)
  await happenSingly(lab, 2)
  const { leased, queuedFor } = await dispatchEvents(lab, 10, worker())
  assert.deepEqual(queuedFor, [])
  const rows = await lab.rows('select * from deliveries join events using (event_id) order by deliveries.event_number')
  assert.deepEqual(
    leased.map(({ deliveryId, leaseId, messageId, body }) => ({ deliveryId, leaseId, messageId, body })),
    rows.map(({ delivery_id, lease_id, event_id, type, occurred_at, data }) => ({
      deliveryId: delivery_id,
      leaseId: lease_id,
      messageId: event_id,
      body: JSON.stringify({ id: event_id, type, timestamp: occurred_at, data }),
    })),
  )
  assert.ok(rows.every(({ status, next_attempt_at }) => status === 'pending' && next_attempt_at !== null))
  assert.deepEqual(await leaseAll(lab), [])
  await lab.rows('update deliveries set leased_until = now()')
  const again = await leaseAll(lab)
  const alike = (deliveries: typeof again) =>
    deliveries
      .map(({ leaseId: _, ...delivery }) => delivery)
      .sort((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1))
  assert.deepEqual(alike(again), alike(leased), 'told alike by both ways')
  assert.equal(again[0]?.webhookId, webhookId)
})

test('the events of one quote, when they are dispatched together, are taken up one at a time', async (t) => {
  const lab = await openLab(t)
  await register(lab)
  await lab.happen(quoteStory(3))
  const { leased } = await dispatchEvents(lab, 10, worker())
  assert.deepEqual(
    leased.map(({ body }) => JSON.parse(body).data.reference),
    ['step 0'],
  )
  const waiting = await lab.rows('select from deliveries where lease_id is null and next_attempt_at is null')
  assert.equal(waiting.length, 2)
})

test('events, when their webhook has to be verified first, are queued and not taken up', async (t) => {
  const lab = await openLab(t)
  await register(lab)
  await happenSingly(lab, 2)
  const { events, leased } = await dispatchEvents(lab, 10, worker({ requireVerification: true }))
  assert.deepEqual([events, leased], [2, []])
})

test('a partner, when another has many events waiting, has its own dispatched with the first of those', async (t) => {
  const lab = await openLab(t)
  const quiet = await lab.newPartner()
  await register(lab)
  const own = await register(lab, quiet)
  await happenSingly(lab, 50)
  await happenSingly(lab, 1, quiet)
  const { events, leased, hasMore } = await dispatchEvents(lab, 10, worker())
  assert.deepEqual([events, leased.filter(({ webhookId }) => webhookId === own).length, hasMore], [6, 1, true])
})

test('partners, when more of them have something waiting than are taken at once, all get theirs, and it is said that there are more', async (t) => {
  const lab = await openLab(t)
  for (let count = 0; count < 5; count += 1) {
    const partner = await lab.newPartner()
    await register(lab, partner)
    await happenSingly(lab, 1, partner)
  }
  const first = await dispatchEvents(lab, 3, worker())
  assert.deepEqual([first.events, first.leased.length, first.hasMore], [3, 3, true])
  const second = await dispatchEvents(lab, 3, worker())
  assert.deepEqual([second.events, second.leased.length], [2, 2])
  const third = await dispatchEvents(lab, 3, worker())
  assert.deepEqual([third.events, third.hasMore], [0, false])
})

test('events, when the hands of their one receiver are full for the moment, wait in the outbox, and not for ever', async (t) => {
  const lab = await openLab(t)
  const webhookId = await register(lab)
  await happenSingly(lab, 30)
  const first = await dispatchEvents(lab, 20, worker())
  assert.deepEqual([first.leased.length, first.isHeldUp, first.hasMore, await inOutbox(lab)], [16, true, false, 14])
  const full = { byWebhook: new Map([[webhookId, 16]]), total: 16 }
  const held = await dispatchEvents(lab, 10, worker({}, full))
  assert.deepEqual([held.events, held.isHeldUp], [0, true])
  const impatient = await dispatchEvents(lab, 10, worker({ isPatient: false }, full))
  assert.deepEqual([impatient.events, impatient.queuedFor, impatient.leased], [10, [webhookId], []])
})

test('events, when few are waiting or their receiver is slow, are queued at once, hands full or not', async (t) => {
  const lab = await openLab(t)
  const webhookId = await register(lab)
  const full = { byWebhook: new Map([[webhookId, 16]]), total: 16 }
  await happenSingly(lab, 9)
  assert.equal((await dispatchEvents(lab, 10, worker({}, full))).events, 9)
  await lab.rows('delete from deliveries')
  await happenSingly(lab, 10)
  assert.equal((await dispatchEvents(lab, 10, worker({}, { ...full, slow: new Set([webhookId]) }))).events, 10)
})

test('events, when their partner has a second receiver, are never left for the sake of the first', async (t) => {
  const lab = await openLab(t)
  const busy = await register(lab)
  const free = await register(lab)
  await happenSingly(lab, 10)
  const { events, leased } = await dispatchEvents(lab, 10, worker({}, { byWebhook: new Map([[busy, 16]]), total: 16 }))
  assert.deepEqual([events, leased.length, leased.every(({ webhookId }) => webhookId === free)], [10, 10, true])
})

test('a worker, when it dispatches a flood, delivers each event once and leaves nothing behind', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ limits: { dispatchBatch: 50, readyForQuick: 40, readySlots: 80 } })
  await happenSingly(lab, 1_200)
  await until('everything has arrived', () => receiver.events().length >= 1_200, 30_000)
  await until(
    'everything is recorded',
    async () => (await lab.rows(`select from deliveries where status = 'pending'`)).length === 0,
  )
  assert.equal(new Set(receiver.events().map(({ message }) => message.id)).size, 1_200)
  assert.equal(receiver.events().length, 1_200)
})

test('what lay ready too long for a receiver that stopped answering, when it answers again, is given back and sent once', async (t) => {
  const lab = await openLab(t)
  let stalls = false
  const receiver = await startReceiver(t, (_received, response) => {
    setTimeout(() => response.end('ok'), stalls ? 1_500 : 0)
    stalls &&= false
  })
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.rows('delete from deliveries')
  // What lies ready is given back after 0.3 s.
  lab.startWorker({ limits: { perWebhook: 1, leaseSeconds: 2 } })
  await happenSingly(lab, 3)
  await until('the receiver is known to be quick', () => receiver.events().length === 3)
  stalls = true
  await happenSingly(lab, 20)
  await until('all have arrived', async () => (await arrived(lab)) === 23)
  assert.equal(receiver.events().length, 23)
})

const arrived = async (lab: WebhookLab) => (await lab.rows(`select from deliveries where status = 'delivered'`)).length
