import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inTransaction } from '../../src/platform/db/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { advanceReplay } from '../../src/webhooks/replay/advance-replay.ts'
import type { Replay } from '../../src/webhooks/replay/replay.ts'
import { getReplay, replayWebhook } from '../../src/webhooks/replay/replay-webhook.ts'
import { waitFor } from '../support/wait-for.ts'
import { dispatch, endQueuedDeliveries, leaseAll } from './dispatching-worker-fixture.ts'
import {
  changeWebhook,
  countDeliveries,
  dependenciesOf,
  receivedReferences,
  untilDispatched,
  urlOf,
} from './life-cycle-fixture.ts'
import { type Receiver, respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const hourAgo = () => new Date(Date.now() - 3_600_000)

const replay = (lab: WebhookLab, webhookId: Id<'webhook'>, since = hourAgo(), until?: Date) =>
  replayWebhook(dependenciesOf(lab), lab.caller, webhookId, { since, until })

async function untilEnded(lab: WebhookLab, { replayId }: Replay): Promise<Replay> {
  await waitFor(
    'the replay has ended',
    async () => (await getReplay(dependenciesOf(lab), lab.caller, replayId)).status !== 'running',
  )
  return getReplay(dependenciesOf(lab), lab.caller, replayId)
}

/** A receiver that rejects events until it is fixed, and a webhook that subscribes to all events. */
async function brokenReceiver(t: TestContext, lab: WebhookLab) {
  let broken = true
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(broken ? 500 : 204).end()),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  return {
    receiver,
    webhookId,
    mend() {
      broken = false
      receiver.received.length = 0
    },
  }
}

const ids = (receiver: Receiver) => receiver.events().map(({ message }) => message.id)

test('a replay waits for a dispatcher that found the webhook disabled and is therefore still skipping its events', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  await lab.rows(
    `create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return new;
     end $$`,
  )
  await lab.rows('create trigger held before update of dispatched_at on events for each row execute function hold()')
  const untilHeld = (count: number) =>
    waitFor(
      `${count} transactions wait for a lock`,
      () => lab.rows(`select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`),
      (waiting) => waiting.length === count,
    )
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await lab.happen(statusChanges(1))
  const { dispatching, advancing, replayId } = await inTransaction(lab.db, {}, async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(1)`)
    const dispatching = dispatch(lab, 10)
    await untilHeld(1)
    await changeWebhook(lab, webhookId, { status: 'active' })
    const { replayId } = await replay(lab, webhookId)
    const advancing = advanceReplay(lab, { batch: 100, maxWaiting: 100 })
    await untilHeld(2)
    return { dispatching, advancing, replayId }
  })
  await Promise.all([dispatching, advancing])
  const { status, missed } = await getReplay(dependenciesOf(lab), lab.caller, replayId)
  assert.deepEqual([status, missed], ['completed', 1])
  lab.startWorker()
  await waitFor('it arrives', () => receiver.events().length === 1)
})

test('a replay sends nothing if nothing failed and nothing was missed', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.happen(statusChanges(2, 'quote_before'))
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await lab.happen(statusChanges(3))
  await waitFor('they arrive', async () => (await countDeliveries(lab)).delivered === 3)
  const ended = await untilEnded(lab, await replay(lab, webhookId))
  assert.deepEqual([ended.status, ended.redelivered, ended.missed], ['completed', 0, 0])
  assert.deepEqual(
    receivedReferences(receiver),
    ['step 0', 'step 1', 'step 2'],
    'events before the registration were not sent either',
  )
})

test('a replay sends only events within its time range and of the types that the webhook subscribes to', async (t) => {
  const lab = await openLab(t)
  const { receiver, webhookId, mend } = await brokenReceiver(t, lab)
  const { caller } = lab
  const ofCustomer = { customerId: 'tenant_1', quoteId: 'quote_c', reference: 'customer' } as const
  lab.startWorker()
  await lab.happen(statusChanges(1, 'quote_early'))
  await lab.happen([
    {
      type: 'customer.status.changed',
      data: { ...ofCustomer, previousStatus: 'active', status: 'PersonalInfoComplete', reason: null },
    },
  ])
  await lab.happen(statusChanges(1, 'quote_late'))
  await lab.happen(statusChanges(1, 'quote_stranger'), await lab.newPartner())
  await waitFor('all have failed', async () => (await countDeliveries(lab)).failed === 3)
  await lab.rows(`update events set occurred_at = occurred_at - interval '2 hours' where quote_id = 'quote_early'`)
  await lab.rows(`update webhooks set created_at = created_at - interval '3 hours'`)
  await changeWebhook(lab, webhookId, { events: ['quote.status.changed'] })
  mend()
  await untilEnded(lab, await replay(lab, webhookId))
  await waitFor('the late event arrives', () => receiver.events().length === 1)
  assert.equal(receiver.events()[0]?.message.data.quoteId, 'quote_late')
  const twoHours = new Date(Date.now() - 2.5 * 3_600_000)
  const ended = await untilEnded(
    lab,
    await replayWebhook(dependenciesOf(lab, caller), caller, webhookId, { since: twoHours, until: hourAgo() }),
  )
  assert.equal(ended.redelivered, 1)
  await waitFor('the early event arrives', () => receiver.events().length === 2)
  assert.equal(receiver.events()[1]?.message.data.quoteId, 'quote_early')
})

test('a replay is stopped if its webhook is disabled while it runs, and a new one can start once the webhook is enabled again', async (t) => {
  const lab = await openLab(t)
  const { receiver, webhookId, mend } = await brokenReceiver(t, lab)
  const worker = lab.startWorker()
  for (let quote = 0; quote < 5; quote += 1) await lab.happen(statusChanges(1))
  await waitFor('all have failed', async () => (await countDeliveries(lab)).failed === 5)
  await worker.stop()
  mend()
  const first = await replay(lab, webhookId)
  await advanceReplay(lab, { batch: 2, maxWaiting: 100 })
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  lab.startWorker()
  const stopped = await untilEnded(lab, first)
  assert.deepEqual([stopped.status, stopped.redelivered], ['stopped', 2])
  await assert.rejects(replay(lab, webhookId), (error) => error instanceof DomainError && /PATCH/.test(error.message))
  await changeWebhook(lab, webhookId, { status: 'active' })
  const second = await untilEnded(lab, await replay(lab, webhookId))
  assert.notEqual(second.replayId, first.replayId)
  await waitFor('all have arrived', async () => (await countDeliveries(lab)).delivered === 5)
  assert.equal(new Set(ids(receiver)).size, 5)
})

test('requesting a replay again while it runs extends it to cover the new range', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  const now = Date.now()
  const ago = (minutes: number) => new Date(now - minutes * 60_000)
  const first = await replay(lab, webhookId, ago(60), ago(30))
  await lab.rows('update replays set position = 7')
  const narrower = await replay(lab, webhookId, ago(50), ago(40))
  assert.deepEqual(narrower, first)
  const [asked] = await lab.rows('select position, is_open from replays')
  assert.deepEqual(asked, { position: '7', is_open: false })
  const open = await replay(lab, webhookId, ago(50))
  assert.equal(open.replayId, first.replayId)
  assert.deepEqual(open.since, first.since)
  assert.ok(open.until.getTime() >= now)
  await lab.rows('update replays set position = 7')
  assert.deepEqual(
    await replay(lab, webhookId, ago(10)),
    open,
    'a repeated request with no `until` keeps the `until` of the earlier request',
  )
  assert.deepEqual((await replay(lab, webhookId, ago(90), ago(80))).since, ago(90))
  const rows = await lab.rows('select position, is_open from replays')
  assert.deepEqual(rows, [{ position: '0', is_open: true }])
})

test('concurrent requests for a replay start only one replay', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  const since = hourAgo()
  const replays = await Promise.all(Array.from({ length: 5 }, () => replay(lab, webhookId, since)))
  assert.equal(new Set(replays.map(({ replayId }) => replayId)).size, 1)
})

test('a large replay queues deliveries until the limit on pending ones is reached, and the rest later', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  for (let quote = 0; quote < 10; quote += 1) await lab.happen(statusChanges(2))
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  // These events are not dispatched to the webhook, because it is disabled.
  const worker = lab.startWorker({ limits: { slots: 0 } })
  await untilDispatched(lab)
  await worker.stop()
  await changeWebhook(lab, webhookId, { status: 'active' })
  const running = await replay(lab, webhookId)
  const pace = { batch: 4, maxWaiting: 8 }
  const advanced: boolean[] = []
  for (let step = 0; step < 4; step += 1) advanced.push(await advanceReplay(lab, pace))
  assert.deepEqual(advanced, [true, true, false, false])
  assert.deepEqual(await countDeliveries(lab), { pending: 8 })
  await endQueuedDeliveries(lab, 'delivered')
  while (await advanceReplay(lab, { ...pace, maxWaiting: 100 })) assert.ok(advanced.push(true) < 20)
  const ended = await getReplay(dependenciesOf(lab), lab.caller, running.replayId)
  assert.deepEqual([ended.status, ended.missed], ['completed', 20])
  const leased = await leaseAll(lab)
  const quotes = await lab.rows('select distinct quote_id from delivery_queue where is_event')
  assert.equal(leased.length, quotes.length, 'one delivery of each quote is due, and the others wait for it')
})

test('concurrent replays of several webhooks alternate', async (t) => {
  const lab = await openLab(t)
  const webhooks = [
    await lab.register({ url: 'https://receiver.test/1' }),
    await lab.register({ url: 'https://receiver.test/2' }),
  ]
  for (let quote = 0; quote < 6; quote += 1) await lab.happen(statusChanges(1))
  const worker = lab.startWorker({ limits: { slots: 0 } })
  await untilDispatched(lab)
  await worker.stop()
  for (const { webhookId } of webhooks) await replay(lab, webhookId)
  const worked: unknown[] = []
  for (let step = 0; step < 4; step += 1) {
    await advanceReplay(lab, { batch: 2, maxWaiting: 100 })
    const [latest] = await lab.rows('select webhook_id from replays order by worked_at desc nulls last limit 1')
    worked.push(latest?.webhook_id)
  }
  assert.deepEqual(worked.slice(2), worked.slice(0, 2))
  assert.equal(new Set(worked).size, 2)
})
