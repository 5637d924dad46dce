import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { inTransaction } from '../../src/db/database.ts'
import { insertAttempts } from '../../src/domain/webhooks/delivery/deliveries.store.ts'
import { dispatchEvents } from '../../src/domain/webhooks/delivery/dispatch-events.ts'
import { idleHands } from '../../src/domain/webhooks/delivery/idle-hands.fixture.ts'
import { leaseDeliveries, returnDeliveries } from '../../src/domain/webhooks/delivery/lease-deliveries.ts'
import type { LeasedDelivery } from '../../src/domain/webhooks/delivery/leases.store.ts'
import { holdBackDispatch, holdBackRecorders, takeDispatch } from '../../src/domain/webhooks/delivery/outbox.store.ts'
import { recordAttempts } from '../../src/domain/webhooks/delivery/record-attempts.ts'
import { roomFor } from '../../src/domain/webhooks/delivery/slots.ts'
import { advanceReplay } from '../../src/domain/webhooks/replay/advance-replay.ts'
import { replayWebhook } from '../../src/domain/webhooks/replay/replay-webhook.ts'
import { startRecording } from '../../src/worker/webhooks/recording.ts'
import { accepted } from './dispatching-worker-fixture.ts'
import { dependenciesOf } from './life-cycle-fixture.ts'
import { openLab, quoteStory, type WebhookLab } from './webhook-fixture.ts'

const policy = {
  slots: 100,
  perWebhook: 20,
  readyForQuick: 0,
  readySlots: 0,
  perFailingWebhook: 4,
}

const leaseAll = (lab: WebhookLab, leaseSeconds = 20) =>
  leaseDeliveries(lab, {
    room: roomFor(policy, idleHands),
    sending: idleHands,
    leaseSeconds,
    requireVerification: false,
  })

/** Leases of `quotes` events, each of a quote of its own, and of nothing else. */
async function leasedEvents(lab: WebhookLab, quotes: number): Promise<LeasedDelivery[]> {
  await lab.register({ url: 'https://receiver.test/' })
  await lab.rows('delete from deliveries')
  for (let quote = 0; quote < quotes; quote += 1) await lab.happen(quoteStory(1))
  await dispatchEvents(lab, 100)
  return leaseAll(lab)
}

test('recording, when PostgreSQL refuses one attempt of many, records the others and drops that one', async (t) => {
  const lab = await openLab(t)
  const leased = await leasedEvents(lab, 5)
  assert.equal(leased.length, 5)
  const logged: string[] = []
  const released: string[] = []
  const recording = startRecording({
    db: lab.db,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    retrySeconds: [],
    longestPauseMs: 50,
    onDisabled: () => assert.fail('nothing is disabled'),
    onRecorded: (ended) => void released.push(...ended.map(({ delivery }) => delivery.deliveryId)),
    onRetryDue: () => undefined,
  })
  leased.forEach((delivery, index) => {
    recording.add({ delivery, attempt: index === 2 ? { ...accepted, responseBody: 'not \0 text' } : accepted })
  })
  await recording.stop()
  assert.deepEqual(new Set(released), new Set(leased.map(({ deliveryId }) => deliveryId)))
  const pending = await lab.rows(`select delivery_id from deliveries where status = 'pending'`)
  assert.deepEqual(pending, [{ delivery_id: leased[2]?.deliveryId }])
  assert(logged.some((line) => line.includes('could not be recorded') && line.includes(String(leased[2]?.deliveryId))))
})

test('recording, when a failed attempt is due again, says for whom', async (t) => {
  const lab = await openLab(t)
  const [delivery] = await leasedEvents(lab, 1)
  assert(delivery !== undefined)
  const due = await new Promise<string>((resolve) => {
    const recording = startRecording({
      db: lab.db,
      log: pino({ level: 'silent' }),
      retrySeconds: [0.1],
      longestPauseMs: 60_000,
      onDisabled: () => assert.fail('nothing is disabled'),
      onRecorded: () => undefined,
      onRetryDue: resolve,
    })
    t.after(() => recording.stop())
    recording.add({ delivery, attempt: { ...accepted, outcome: 'failed', responseStatus: 500 } })
  })
  assert.equal(due, delivery.webhookId)
  assert.equal((await leaseAll(lab)).length, 1, 'it can be leased by then')
})

test('an attempt, when its lease went to another worker meanwhile, is not recorded', async (t) => {
  const lab = await openLab(t)
  const [late] = await leasedEvents(lab, 1)
  assert(late !== undefined)
  await lab.rows(`update deliveries set leased_until = now()`)
  const [current] = await leaseAll(lab)
  assert(current !== undefined)
  assert.equal(current.deliveryId, late.deliveryId)
  const record = (delivery: LeasedDelivery) =>
    recordAttempts({ db: lab.db, retrySeconds: [], random: Math.random }, [{ delivery, attempt: accepted }])
  await record(late)
  assert.deepEqual(await lab.rows('select status, attempt_count from deliveries'), [
    { status: 'pending', attempt_count: 0 },
  ])
  await record(current)
  assert.deepEqual(await lab.rows('select status, attempt_count from deliveries'), [
    { status: 'delivered', attempt_count: 1 },
  ])
})

test('leases, when several workers take them at the same time, never give one delivery to two', async (t) => {
  const lab = await openLab(t)
  const first = await leasedEvents(lab, 15)
  assert.equal(first.length, 13, 'an eighth of 100 slots')
  await lab.rows(`update deliveries set leased_until = now()`)
  const taken = (await Promise.all([leaseAll(lab), leaseAll(lab), leaseAll(lab), leaseAll(lab)])).flat()
  assert.equal(new Set(taken.map(({ deliveryId }) => deliveryId)).size, taken.length)
  assert(taken.length >= 13)
})

test('dispatch, while attempts are being recorded, waits where an event has to queue, so that nothing is queued behind what is just ending', async (t) => {
  const lab = await openLab(t)
  await leasedEvents(lab, 0)
  await lab.happen(quoteStory(1, 'quote_1'))
  assert.equal((await dispatchEvents(lab, 10)).events, 1)
  const [first] = await leaseAll(lab)
  assert(first !== undefined)
  await lab.happen(quoteStory(1, 'quote_1'))
  let dispatched: number | undefined
  const { dispatching } = await inTransaction(lab.db, {}, async (tx) => {
    await holdBackDispatch(tx)
    const pending = dispatchEvents(lab, 10).then(({ events }) => {
      dispatched = events
    })
    await sleep(60)
    assert.equal(dispatched, undefined)
    const { deliveryId, leaseId } = first
    const ended = await insertAttempts(tx, [{ deliveryId, leaseId, attempt: accepted, retryInMs: null }])
    assert.equal(ended.length, 1)
    // In an object, as a promise returned by itself would be awaited before the commit it waits for.
    return { dispatching: pending }
  })
  await dispatching
  assert.equal(dispatched, 1)
  assert.equal((await leaseAll(lab)).length, 1, 'it is due')
})

test('dispatch, while attempts are being recorded, goes on where nothing has to queue', async (t) => {
  const lab = await openLab(t)
  await leasedEvents(lab, 1)
  await lab.happen(quoteStory(1))
  await inTransaction(lab.db, {}, async (tx) => {
    await holdBackDispatch(tx)
    assert.equal((await dispatchEvents(lab, 10)).events, 1)
  })
})

test('dispatch, while another worker dispatches, leaves everything to that one', async (t) => {
  const lab = await openLab(t)
  await lab.happen(quoteStory(1))
  await inTransaction(lab.db, {}, async (tx) => {
    assert.equal(await takeDispatch(tx), true)
    assert.equal((await dispatchEvents(lab, 10)).events, 0)
  })
  assert.equal((await dispatchEvents(lab, 10)).events, 1)
})

test('a replay, while events are being dispatched, waits, so that both do not make the first of a quote due', async (t) => {
  const lab = await openLab(t)
  const [missed] = await leasedEvents(lab, 1)
  assert(missed !== undefined)
  await lab.rows(`update deliveries set status = 'failed', in_order = false, finished_at = now(), leased_until = null`)
  const { webhookId } = missed
  await replayWebhook(dependenciesOf(lab), lab.caller, webhookId, {
    since: new Date(Date.now() - 60_000),
    until: undefined,
  })
  let advanced = false
  const { replaying } = await inTransaction(lab.db, {}, async (tx) => {
    assert.equal(await takeDispatch(tx), true)
    const pending = advanceReplay(lab, { batch: 10, mostWaiting: 10 }).then(() => {
      advanced = true
    })
    await sleep(60)
    assert.equal(advanced, false)
    return { replaying: pending }
  })
  await replaying
  assert.deepEqual(await lab.rows('select status from deliveries'), [{ status: 'pending' }])
})

test('recording, while events are being dispatched, waits likewise', async (t) => {
  const lab = await openLab(t)
  const [delivery] = await leasedEvents(lab, 1)
  assert(delivery !== undefined)
  let recorded = false
  const { recording } = await inTransaction(lab.db, {}, async (tx) => {
    await holdBackRecorders(tx)
    const pending = recordAttempts({ db: lab.db, retrySeconds: [], random: Math.random }, [
      { delivery, attempt: accepted },
    ]).then(() => {
      recorded = true
    })
    await sleep(60)
    assert.equal(recorded, false)
    return { recording: pending }
  })
  await recording
  assert.deepEqual(await lab.rows('select status from deliveries'), [{ status: 'delivered' }])
})

test('leases, when they are given back, are due again at once, but not where another worker has taken them', async (t) => {
  const lab = await openLab(t)
  const leased = await leasedEvents(lab, 3)
  const [taken] = leased
  assert(taken !== undefined)
  await lab.rows(`update deliveries set lease_id = 'claim_of_another' where delivery_id = $1`, [taken.deliveryId])
  await returnDeliveries(lab, leased)
  const again = await leaseAll(lab)
  assert.deepEqual(
    new Set(again.map(({ deliveryId }) => deliveryId)),
    new Set(leased.slice(1).map(({ deliveryId }) => deliveryId)),
  )
})
