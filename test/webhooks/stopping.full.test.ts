import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const listening = (lab: WebhookLab) =>
  lab.rows(`select from pg_stat_activity where datname = current_database() and query ilike 'listen%'`)

test('a worker that is told to stop finishes and records the delivery it is sending before it stops', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => held.push(() => response.end())),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const worker = lab.startWorker()
  await lab.happen(statusChanges(2))
  await waitFor('the first event is being sent', () => held.length === 1)
  const dispatched = () => lab.rows('select from deliveries where event_id is not null')
  await waitFor('the second event is dispatched', async () => (await dispatched()).length === 2)
  let hasStopped = false
  const stopped = worker.stop().then(() => {
    hasStopped = true
  })
  await waitFor('the worker no longer listens', async () => (await listening(lab)).length === 0)
  assert.equal(hasStopped, false)
  for (const respond of held) respond()
  await stopped
  assert.deepEqual(
    await lab.rows('select status, leased_until from deliveries where event_id is not null order by event_number'),
    [
      { status: 'delivered', leased_until: null },
      { status: 'pending', leased_until: null },
    ],
  )
  assert.equal(receiver.events().length, 1)
})

test('stop abandons a delivery to a hanging receiver after the grace period, and another worker sends it again', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => {
      if (count > 1) response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const worker = lab.startWorker({ limits: { leaseSeconds: 1 } })
  await lab.happen(statusChanges(1))
  await waitFor('the delivery is being sent', () => receiver.events().length === 1)
  await worker.stop(100)
  assert.deepEqual(await lab.rows('select status, attempt_count from deliveries where event_id is not null'), [
    { status: 'pending', attempt_count: 0 },
  ])
  lab.startWorker()
  await waitFor('the delivery is sent again', () => receiver.events().length === 2)
})
