import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attemptTimeoutMs } from '../../src/domain/webhooks/delivery/deliver.ts'
import { defaultLimits } from '../../src/worker/webhooks/webhook-worker.ts'
import { answeringEvents, startReceiver, until } from './receiver-fixture.ts'
import { startSendingProcess } from './sending-process-fixture.ts'
import { openLab, quoteStory } from './webhook-fixture.ts'

test('a delivery, when the process is killed while sending it, is sent again by another once the lease ends', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    answeringEvents((_received, response, count) => {
      if (count > 1) response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const child = await startSendingProcess(t, lab, 2)
  await lab.happen(quoteStory(2))
  await until('the first event is being sent', () => receiver.events().length === 1)
  await child.kill()
  const killedAt = performance.now()
  lab.startWorker()
  await until('both are delivered', () => receiver.events().length === 3)
  const [lost, again, next] = receiver.events()
  assert.equal(again?.message.id, lost?.message.id)
  assert.equal(next?.message.data.reference, 'step 1')
  assert((again?.at ?? 0) - killedAt < 8_000, 'soon after the lease of two seconds, well before one of production')
})

test('the lease, as it is set in production, outlasts an attempt and ends within 30 s of a crash', () => {
  assert(defaultLimits.leaseSeconds * 1_000 >= attemptTimeoutMs + 3_000)
  assert(defaultLimits.leaseSeconds * 1_000 + defaultLimits.longestPauseMs <= 25_000)
})

test('events, when workers are killed again and again, all arrive and are all recorded', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    answeringEvents((_received, response) => setTimeout(() => response.end(), 20)),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  for (const killAfterMs of [5, 60, 150]) {
    const child = await startSendingProcess(t, lab, 1)
    for (let quote = 0; quote < 8; quote += 1) await lab.happen(quoteStory(3))
    await sleep(killAfterMs)
    await child.kill()
  }
  lab.startWorker({ limits: { leaseSeconds: 1 } })
  const delivered = () =>
    lab.rows(`select event_id from deliveries where status = 'delivered' and event_id is not null`)
  await until('all are delivered', async () => (await delivered()).length === 72)
  const ids = new Set(receiver.events().map(({ message }) => message.id))
  const recorded = await lab.rows('select event_id from events')
  assert.deepEqual(ids, new Set(recorded.map(({ event_id }) => event_id)))
})

test('the worker, when PostgreSQL cuts every connection, connects again and goes on', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await lab.happen(quoteStory(2))
  await until('the first events arrive', () => receiver.events().length === 2)
  await lab.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await until('the loss is noticed', () => lab.logged.some((line) => line.includes('wake-up connection')))
  await lab.happen(quoteStory(3))
  await until('the later events arrive', () => receiver.events().length === 5)
  const listening = () =>
    lab.rows(`select from pg_stat_activity where datname = current_database() and query ilike 'listen%'`)
  await until('it listens again', async () => (await listening()).length === 1)
})

test('stop, when something is being sent, waits for it and records it', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    answeringEvents((_received, response) => setTimeout(() => response.end(), 300)),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const worker = lab.startWorker()
  await lab.happen(quoteStory(2))
  await until('the first event is being sent', () => receiver.events().length === 1)
  await worker.stop()
  assert.deepEqual(
    await lab.rows(
      'select status, event_number is not null as is_event from deliveries where event_id is not null order by event_number',
    ),
    [
      { status: 'delivered', is_event: true },
      { status: 'pending', is_event: true },
    ],
  )
  await sleep(100)
  assert.equal(receiver.events().length, 1)
})

test('stop, when a receiver hangs, abandons it after its grace, and another worker sends it again', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    answeringEvents((_received, response, count) => {
      if (count > 1) response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const worker = lab.startWorker({ limits: { leaseSeconds: 1 } })
  await lab.happen(quoteStory(1))
  await until('it is being sent', () => receiver.events().length === 1)
  const begun = performance.now()
  await worker.stop(100)
  assert(performance.now() - begun < 5_000)
  lab.startWorker()
  await until('it is sent again', () => receiver.events().length === 2)
})
