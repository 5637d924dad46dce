import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { collectionSweepJob } from '../../src/payments/collecting/collection-sweep.job.ts'
import { reconcileCollections } from '../../src/payments/reconcile-collections.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { paymentStatus } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { runEvery20Ms } from './every-20-ms.fixture.ts'
import { createCustomerWithCard, createReconcileDependencies } from './reconcile.fixture.ts'

// The processor's notices do not arrive here unless a test sends them.
const processor = await startServiceWithProcessor()
const { service, requests } = processor
const db = await openDatabases(service.connectionString)
const deps = await createReconcileDependencies(service, db)
after(async () => {
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const customer = () => createCustomerWithCard(processor, partner)

const sweep = (isStopping = () => false) => reconcileCollections(deps, { isStopping })
const listings = () => requests.filter(({ operation }) => operation.startsWith('GET /v1/events?'))
const asked = () => listings().map(({ operation }) => new URLSearchParams(operation.split('?')[1]))

/** The position that the last sweep stored; undefined until a sweep finds something. */
async function readSweepPosition(): Promise<string | undefined> {
  const [row] = await rawRows(service, "select value from deployment_settings where name = 'collections-read-to'")
  return row === undefined ? undefined : String(row.value)
}

/** Inserts payment events of unknown customers, one for each second. The last one happened `secondsAgo` seconds ago. */
async function insertPaymentsOfUnknownCustomers(count: number, secondsAgo: number): Promise<void> {
  await rawRows(
    service,
    `insert into simulated_processor.events (id, type, happened_at, body)
     select 'evt_foreign' || $2 || 'x' || n, 'payment_intent.succeeded', at,
            json_build_object('id', 'evt_foreign' || $2 || 'x' || n, 'object', 'event', 'type',
              'payment_intent.succeeded', 'created', at,
              'data', json_build_object('object', json_build_object('id', 'pi_' || n, 'customer', case when n % 2 = 0
                then 'cus_foreign' end)))::text
       from (select n, floor(extract(epoch from now()))::bigint - $2::int - $1::int + n as at
         from generate_series(1, $1::int) n) told`,
    [count, secondsAgo],
  )
}

beforeEach(() => {
  requests.length = 0
  processor.setMode('up')
})

test('a sweep finds a collection whose notice was lost and changes the status with one event; a late notice changes nothing', async () => {
  const { lead, setupIntentId } = await customer()
  const payment = await processor.collect(setupIntentId, 'paid')
  assert.equal(await paymentStatus(partner, lead), 'ready')
  assert.deepEqual(await sweep(), { recorded: 1, unavailable: false, failures: [], unknown: [] })
  assert.equal(await paymentStatus(partner, lead), 'paid')
  for (let copy = 0; copy < 2; copy += 1)
    succeeded(await processor.notify('payment_intent.succeeded', payment, { happenedAt: payment.created }))
  assert.deepEqual(await sweep(), { recorded: 0, unavailable: false, failures: [], unknown: [] })
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
})

test('collections whose notices were lost are recorded in the order in which they happened', async () => {
  const [one, other] = [await customer(), await customer()]
  for (const outcome of ['failed', 'paid', 'failed'] as const) await processor.collect(one.setupIntentId, outcome)
  await processor.collect(other.setupIntentId, 'failed')
  assert.equal((await sweep()).recorded, 4)
  assert.deepEqual(await readPaymentStatusHistory(service, one.lead), [
    'setup_started',
    'ready',
    'failed',
    'paid',
    'failed',
  ])
  assert.deepEqual(await readPaymentStatusHistory(service, other.lead), ['setup_started', 'ready', 'failed'])
})

test('a sweep skips a collection whose notice has arrived, and records an earlier one without changing the status', async () => {
  const { lead, setupIntentId } = await customer()
  await processor.collect(setupIntentId, 'failed')
  const payment = await processor.collect(setupIntentId, 'paid')
  succeeded(await processor.notify('payment_intent.succeeded', payment, { happenedAt: payment.created }))
  assert.equal((await sweep()).recorded, 1)
  assert.equal((await sweep()).recorded, 0)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
})

test('a sweep finds a refund and a dispute whose notices were lost, also if the payment itself was not reported', async () => {
  const { lead, setupIntentId } = await customer()
  const [one, other] = [await processor.collect(setupIntentId, 'paid'), await processor.collect(setupIntentId, 'paid')]
  await processor.reverse(one.id, 'refunded')
  await processor.reverse(other.id, 'disputed')
  assert.deepEqual(await sweep(), { recorded: 6, unavailable: false, failures: [], unknown: [] })
  assert.equal((await sweep()).recorded, 0)
  const outcomes = await rawRows(
    service,
    'select outcome from payment_reports where customer_id = $1 order by recorded_at',
    [lead],
  )
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), [
    'disputed',
    'disputed',
    'paid',
    'paid',
    'refunded',
    'refunded',
  ])
  assert.equal(await paymentStatus(partner, lead), 'paid')
})

test('a sweep requests the list by type, 100 at a time, from ten minutes before the newest event of the last sweep', async () => {
  await rawRows(service, "delete from deployment_settings where name = 'collections-read-to'")
  await sweep()
  const [first] = asked()
  assert.deepEqual([...(first ?? [])].sort(), [
    ['limit', '100'],
    ['types[0]', 'payment_intent.succeeded'],
    ['types[10]', 'charge.dispute.funds_reinstated'],
    ['types[11]', 'charge.dispute.closed'],
    ['types[1]', 'payment_intent.payment_failed'],
    ['types[2]', 'charge.refunded'],
    ['types[3]', 'refund.created'],
    ['types[4]', 'refund.updated'],
    ['types[5]', 'refund.failed'],
    ['types[6]', 'charge.refund.updated'],
    ['types[7]', 'charge.dispute.created'],
    ['types[8]', 'charge.dispute.updated'],
    ['types[9]', 'charge.dispute.funds_withdrawn'],
  ])
  const [newest] = await rawRows(service, 'select max(happened_at)::int as at from simulated_processor.events')
  await insertPaymentsOfUnknownCustomers(1, -3)
  await sweep()
  const reached = Date.parse((await readSweepPosition()) ?? '') / 1000
  assert.ok(reached >= Number(newest?.at) - 600, "unknown customers' payments also move the position")
  requests.length = 0
  await sweep()
  assert.deepEqual(
    asked().map((query) => query.get('created[gte]')),
    [String(reached)],
  )
})

test("hundreds of unknown customers' payments are read page by page and delay nothing", async () => {
  const { lead, setupIntentId } = await customer()
  await processor.collect(setupIntentId, 'paid')
  await insertPaymentsOfUnknownCustomers(250, 120)
  requests.length = 0
  assert.equal((await sweep()).recorded, 1)
  assert.equal(listings().length, 3)
  assert.equal(await paymentStatus(partner, lead), 'paid')
  const pages = asked().map((query) => query.get('starting_after'))
  assert.equal(new Set(pages).size, 3)
  assert.equal(pages[0], null)
})

test('a sweep keeps its position if the processor is unavailable, and the next sweep continues from there', async () => {
  const { lead, setupIntentId } = await customer()
  await sweep()
  const before = await readSweepPosition()
  await processor.collect(setupIntentId, 'failed')
  for (const mode of ['unreachable', 'failing'] as const) {
    processor.setMode(mode)
    assert.deepEqual(await sweep(), { recorded: 0, unavailable: true, failures: [], unknown: [] })
    assert.equal(await readSweepPosition(), before)
  }
  processor.setMode('up')
  assert.equal((await sweep()).recorded, 1)
  assert.equal(await paymentStatus(partner, lead), 'failed')
})

test('once told to stop, a sweep sends no more requests and keeps its position', async () => {
  const before = await readSweepPosition()
  requests.length = 0
  assert.deepEqual(await sweep(() => true), { recorded: 0, unavailable: false, failures: [], unknown: [] })
  assert.equal(listings().length, 0)
  assert.equal(await readSweepPosition(), before)
})

test('a collection that cannot be recorded is named in the log, does not block others and is retried by each sweep, however much later the newest event is', async () => {
  const [broken, other] = [await customer(), await customer()]
  await processor.collect(broken.setupIntentId, 'paid')
  await processor.collect(other.setupIntentId, 'paid')
  await rawRows(
    service,
    `alter table customers add constraint never_paid check (customer_id <> '${broken.lead}'
     or payment_status <> 'paid')`,
  )
  const swept = await sweep()
  assert.equal(swept.recorded, 1)
  assert.equal(swept.failures.length, 1)
  assert.match(swept.failures[0]?.noticeId ?? '', /^evt_/)
  assert.equal(await paymentStatus(partner, other.lead), 'paid')
  await insertPaymentsOfUnknownCustomers(1, -1_200)
  for (let retry = 0; retry < 2; retry += 1) {
    const { recorded, failures } = await sweep()
    assert.deepEqual([recorded, failures.map(({ noticeId }) => noticeId)], [0, [swept.failures[0]?.noticeId]])
  }
  await rawRows(service, 'alter table customers drop constraint never_paid')
  assert.deepEqual(await sweep(), { recorded: 1, unavailable: false, failures: [], unknown: [] })
  assert.equal(await paymentStatus(partner, broken.lead), 'paid')
  // The next test's collections are no older than the newest event.
  await rawRows(service, "delete from simulated_processor.events where id like 'evt_foreign-1200x%'")
  await rawRows(service, "delete from deployment_settings where name = 'collections-read-to'")
})

test('sweeps and notices that record the same collection at the same time create only one event', async () => {
  const own = await connectNewPartner(service)
  for (let round = 0; round < 4; round += 1) {
    const { lead, setupIntentId } = await createCustomerWithCard(processor, own)
    const payment = await processor.collect(setupIntentId, 'paid')
    await Promise.all([
      sweep(),
      sweep(),
      processor.notify('payment_intent.succeeded', payment, { happenedAt: payment.created }),
      processor.notify('payment_intent.succeeded', payment, { happenedAt: payment.created }),
    ])
    assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
  }
})

test('the collection sweep logs an outage of the processor once and retries; afterwards it records missed collections and logs that', async (t) => {
  const { lead, setupIntentId } = await customer()
  await processor.collect(setupIntentId, 'paid')
  processor.setMode('unreachable')
  const { worker, said } = runEvery20Ms((log) => collectionSweepJob({ ...deps, log }))
  t.after(() => worker.stop())
  await waitFor('the failure is logged', () => said('collection sweep paused') > 0)
  await waitFor('the sweep is retried several times', () => listings().length > 3)
  processor.setMode('up')
  await waitFor('the recovery is logged', () => said('collection sweep resumed') === 1)
  await waitForPaymentStatus(partner, lead, 'paid')
  assert.equal(said('collection sweep paused'), 1)
  assert.equal(said('recorded collections for which no notice had arrived'), 1)
})
