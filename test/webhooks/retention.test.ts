import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { removeOldPayloads } from '../../src/webhooks/history/remove-old-payloads.ts'
import { replayWebhook } from '../../src/webhooks/replay/replay-webhook.ts'
import { everyAttempt } from '../support/every-attempt.ts'
import { waitFor } from '../support/wait-for.ts'
import { endQueuedDeliveries } from './dispatching-worker-fixture.ts'
import { changeWebhook, dependenciesOf, untilDispatched, urlOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const policy = { batch: 1_000, requireVerification: false, isStopping: () => false }
const nothing = { days: 0, deliveries: 0, held: 0, events: 0 }

/** Creates `count` events, `daysAgo` days old, each delivered to the webhook in two attempts. */
async function deliveredLongAgo(
  lab: WebhookLab,
  webhookId: Id<'webhook'>,
  count: number,
  daysAgo: number,
): Promise<void> {
  await lab.rows(
    `with told as (
       insert into events (event_id, partner_id, quote_id, type, data, occurred_at, dispatched_at, position)
       select format('event_%s_%s', $4::integer, n), $1, 'quote_' || n % 50, 'quote.status.changed', '{}', at, at,
         nextval('event_positions')
         from generate_series(1, $3) n, lateral (select now() - make_interval(days => $4::integer) + n * interval
           '1 second' as at) t
       returning *
     ), sent as (
       insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
         event_number,
         status, attempt_count, created_at, finished_at, attempts)
       select 'delivery_' || event_id, $1, $2, event_id, event_id, type, quote_id, event_number,
         case when event_number % 3 = 0 then 'failed' else 'delivered' end, 2, occurred_at, occurred_at,
         array['{"attemptNumber":1}', '{"attemptNumber":2}']::json[]
         from told
     )
     select from told`,
    [lab.caller.partnerId, webhookId, count, daysAgo],
  )
}

/** Moves everything stored so far this many days into the past. */
async function passDays(lab: WebhookLab, days: number): Promise<void> {
  const earlier = `- make_interval(days => ${days})`
  await lab.rows(`update events set occurred_at = occurred_at ${earlier}, dispatched_at = dispatched_at ${earlier}`)
  await lab.rows(`update delivery_history set created_at = created_at ${earlier}, finished_at = finished_at ${earlier}`)
  await lab.rows(
    `update delivery_queue set created_at = created_at ${earlier}, next_attempt_at = next_attempt_at ${earlier}`,
  )
}

const left = async (lab: WebhookLab) => {
  const [row] = await lab.rows(`
    select (select count(*)::integer from events) as events, (select count(*)::integer from deliveries) as deliveries,
      (select count(*)::integer from ${everyAttempt} a) as attempts`)
  return row
}

/** The days, counted from today, for which the history has partitions. */
const partitionDays = async (lab: WebhookLab) =>
  (
    await lab.rows(
      `select to_date(right(relname, 8), 'YYYYMMDD') - (now() at time zone 'UTC')::date as day from pg_class
        where relname ~ '^delivery_history_\\d{8}$' order by relname`,
    )
  ).map(({ day }) => Number(day))

/** The partitions before today: yesterday's if the template database was created before midnight, otherwise none. */
const partitionsBeforeToday = async (lab: WebhookLab) => (await partitionDays(lab)).filter((day) => day < 0)

const makePartition = (lab: WebhookLab, daysAgo: number) =>
  lab.rows(`select make_delivery_history_partition((now() at time zone 'UTC')::date - $1::integer)`, [daysAgo])

test('old payloads are removed with their events, a whole day at a time, whether or not the day has a partition; recent ones stay', async (t) => {
  const lab = await openLab(t)
  const earlier = await partitionsBeforeToday(lab)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await endQueuedDeliveries(lab, 'delivered')
  for (const daysAgo of [33, 32, 30, 29]) await makePartition(lab, daysAgo)
  await deliveredLongAgo(lab, webhookId, 100, 32)
  await deliveredLongAgo(lab, webhookId, 950, 40)
  await deliveredLongAgo(lab, webhookId, 300, 29)
  assert.deepEqual(await removeOldPayloads(lab, { ...policy, batch: 400 }), {
    days: 2,
    deliveries: 950,
    held: 0,
    events: 1_050,
  })
  // The webhook's verification message is kept in addition to the recent deliveries.
  assert.deepEqual(await left(lab), { events: 300, deliveries: 301, attempts: 600 })
  assert.deepEqual(await removeOldPayloads(lab, policy), nothing)
  assert.deepEqual(await partitionDays(lab), [-30, -29, ...earlier, 0, 1, 2, 3])
})

test('removing old payloads keeps deliveries that ended on a day without a partition, and creates no partition for that day', async (t) => {
  const lab = await openLab(t)
  const earlier = await partitionsBeforeToday(lab)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await lab.rows(`drop table ${await today(lab)}`)
  await endQueuedDeliveries(lab, 'delivered')
  await deliveredLongAgo(lab, webhookId, 1, 0)
  await removeOldPayloads(lab, policy)
  assert.deepEqual(await partitionDays(lab), [...earlier, 1, 2, 3])
  assert.equal((await lab.rows('select from delivery_history')).length, 2)
})

async function today(lab: WebhookLab): Promise<string> {
  const [row] = await lab.rows(`select 'delivery_history_' || to_char(now() at time zone 'UTC', 'YYYYMMDD') as name`)
  return String(row?.name)
}

test('a missed event that is replayed later is kept no longer than other events', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  const worker = lab.startWorker()
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await lab.happen(statusChanges(1))
  await untilDispatched(lab)
  await lab.rows(`update webhooks set created_at = created_at - interval '40 days'`)
  await passDays(lab, 29)
  await changeWebhook(lab, webhookId, { status: 'active' })
  await replayWebhook(dependenciesOf(lab), lab.caller, webhookId, { since: undefined, until: undefined })
  await waitFor('it arrives', () => receiver.events().length === 1)
  await waitFor(
    'the delivery is recorded',
    async () => (await lab.rows(`select from deliveries where is_event and status = 'delivered'`)).length === 1,
  )
  await worker.stop()
  await passDays(lab, 2)
  assert.equal((await removeOldPayloads(lab, policy)).events, 1)
  assert.deepEqual(await lab.rows('select from deliveries where is_event'), [])
})

test('pending deliveries and undispatched events stay, however old they are', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  await lab.happen(statusChanges(3))
  const worker = lab.startWorker({ retrySeconds: [3_600] })
  await waitFor('the first attempts have failed', async () => {
    const [row] = await lab.rows(`select count(*)::integer as tried from deliveries where attempt_count > 0`)
    return row?.tried === 4
  })
  await worker.stop()
  await lab.happen(statusChanges(2))
  await passDays(lab, 400)
  const before = await left(lab)
  assert.deepEqual(await removeOldPayloads(lab, { ...policy, requireVerification: false }), nothing)
  assert.deepEqual(await left(lab), before)
  await lab.rows(`update webhooks set verification = 'verified'`)
  assert.deepEqual(await removeOldPayloads(lab, { ...policy, requireVerification: true }), nothing)
  assert.deepEqual(await left(lab), before)
})

test('deliveries that have waited for verification for 30 days are removed, so that later ones can be sent', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await endQueuedDeliveries(lab, 'failed')
  const story = statusChanges(4, 'quote_held')
  const requireVerification = true
  const dispatching = lab.startWorker({ requireVerification })
  await lab.happen(story.slice(0, 2))
  const waiting = async () => (await lab.rows(`select from deliveries where status = 'pending'`)).length
  await waitFor('they wait', async () => (await waiting()) === 2)
  await passDays(lab, 31)
  await lab.happen(story.slice(2))
  await waitFor('the later deliveries wait too', async () => (await waiting()) === 4)
  assert.equal((await removeOldPayloads(lab, policy)).held, 0, 'if verification is not required, nothing waits for it')
  assert.equal((await removeOldPayloads(lab, { ...policy, requireVerification })).held, 2)
  assert.deepEqual(receiver.received, [])
  await lab.rows(`update webhooks set verification = 'verified'`)
  await waitFor('the later events arrive', () => receiver.events().length === 2)
  assert.deepEqual(
    receiver.events().map(({ message }) => message.data.reference),
    ['step 2', 'step 3'],
  )
  await dispatching.stop()
})

test('old events of every partner and type are removed in batches, and those with a delivery that is left are kept', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await deliveredLongAgo(lab, webhookId, 250, 40)
  await lab.rows(
    `update events set type = (array['quote.status.changed', 'customer.status.changed'])[1 + event_number % 2]`,
  )
  await lab.rows(`update events set occurred_at = date_trunc('day', occurred_at) where event_number % 3 = 0`)
  const [kept] = await lab.rows(
    `update delivery_history set created_at = now() where event_number % 100 = 7 returning event_id`,
  )
  const left = async () => (await lab.rows('select event_id from events')).map(({ event_id: eventId }) => eventId)
  const transactions = async () =>
    (await lab.rows('select pg_snapshot_xmax(pg_current_snapshot())::text::int as next'))[0]?.next
  const before = Number(await transactions())
  const { events } = await removeOldPayloads(lab, { ...policy, batch: 20 })
  assert.equal(events, 250 - (await left()).length)
  assert.ok((await left()).includes(kept?.event_id))
  assert.ok((await left()).length <= 3)
  assert.ok(Number(await transactions()) - before >= events / 20, 'each batch is a transaction of its own')
})

test('a run that is stopped early leaves the rest to the next run, and concurrent runs do not conflict', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await deliveredLongAgo(lab, webhookId, 1_000, 40)
  const cut = await removeOldPayloads(lab, { ...policy, batch: 100, isStopping: () => true })
  assert.deepEqual(cut, { days: 0, deliveries: 100, held: 0, events: 0 })
  const both = await Promise.all([
    removeOldPayloads(lab, { ...policy, batch: 100 }),
    removeOldPayloads(lab, { ...policy, batch: 90 }),
  ])
  // What one run has locked while its deliveries were being removed by the other is left to the next run.
  const next = await removeOldPayloads(lab, policy)
  assert.equal(both[0].events + both[1].events + next.events, 1_000)
  // What is left is the webhook's verification message, which has not been sent yet.
  assert.deepEqual(await left(lab), { events: 0, deliveries: 1, attempts: 0 })
})
