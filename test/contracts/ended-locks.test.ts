import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { endedLocksJob, storeEndedLocks } from '../../src/contracts/locks/store-ended-locks.ts'
import { setupIntentSweepJob } from '../../src/payments/setup-intents/setup-intent-sweep.job.ts'
import { createReconcileDependencies, makeCheckDue, minutesUntilCheck } from '../payments/reconcile.fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { paymentStatus, startHousehold, startPaymentSetup } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { advanceClock, expire, getQuote } from '../support/quote-fixtures.ts'

const processor = await startServiceWithProcessor()
const { service } = processor
const deps = await createReconcileDependencies(service, await openDatabases(service.connectionString))
after(async () => {
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const runJob = () => endedLocksJob(deps).run(new AbortController().signal)
/** Runs the job that checks setup intents, which cancels those that the ended locks left unfinished. */
const runSweep = () => setupIntentSweepJob({ ...deps, log: pino({ enabled: false }) }).run(new AbortController().signal)

async function stored(quoteId: string): Promise<unknown> {
  const [row] = await rawRows(service, 'select stage, locked_until from quotes where quote_id = $1', [quoteId])
  return row
}

test("the job stores the end of a lock on the partner's clock, and leaves other locks alone", async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const [lead = ''] = tenants
  await startPaymentSetup(partner, lead)
  const before = await getQuote(partner, quoteId)
  await runJob()
  assert.deepEqual(await getQuote(partner, quoteId), before)
  await advanceClock(partner, { days: 15 })
  await runJob()
  assert.deepEqual(await stored(quoteId), { stage: 'open', locked_until: null })
  const other = await startHousehold(partner, { tenants: 1 })
  await startPaymentSetup(partner, other.lead)
  await runJob()
  assert.equal((await getQuote(partner, other.quoteId)).status, 'active')
})

test('quotes whose lock cannot be ended keep no other waiting, however many they are, and are retried by the next run', async () => {
  const broken = [await startHousehold(partner, { tenants: 1 }), await startHousehold(partner, { tenants: 1 })]
  const other = await startHousehold(partner, { tenants: 1 })
  for (const { lead } of [...broken, other]) await startPaymentSetup(partner, lead)
  const ids = broken.map(({ quoteId }) => quoteId)
  await rawRows(
    service,
    `alter table quotes add constraint never_open check (stage <> 'open' or quote_id not in ('${ids.join("', '")}'))` +
      ' not valid',
  )
  await advanceClock(partner, { days: 15 })
  const storeAll = () => storeEndedLocks(deps, { batch: 2, isStopping: () => false })
  await assert.rejects(storeAll, /never_open/)
  assert.deepEqual(await stored(other.quoteId), { stage: 'open', locked_until: null })
  await rawRows(service, 'alter table quotes drop constraint never_open')
  await storeAll()
  for (const quoteId of ids) assert.deepEqual(await stored(quoteId), { stage: 'open', locked_until: null })
})

test('an unfinished setup intent is cancelled after the lock ended; one that succeeded late leaves the card attached', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const [lead = '', second = ''] = tenants
  const unfinished = await startPaymentSetup(partner, lead)
  const late = await startPaymentSetup(partner, second)
  await expire(partner, quoteId)
  await processor.confirm(late)
  await runJob()
  await runSweep()
  assert.equal(await paymentStatus(partner, lead), 'not_started')
  assert.equal((await processor.readIntent(unfinished)).status, 'canceled')
  assert.equal(await paymentStatus(partner, second), 'ready')
  assert.equal((await processor.readIntent(late)).status, 'succeeded')
  assert.equal((await getQuote(partner, quoteId)).status, 'TenantsAdded')
})

test('while the processor is down the end of a lock is stored, and the intents are cancelled once it is back', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  const unfinished = await startPaymentSetup(partner, lead)
  await advanceClock(partner, { days: 15 })
  processor.setMode('unreachable')
  await runJob()
  assert.deepEqual(await stored(quoteId), { stage: 'open', locked_until: null })
  await runSweep()
  processor.setMode('up')
  assert.equal((await processor.readIntent(unfinished)).status, 'requires_payment_method')
  await makeCheckDue(service, unfinished)
  await runSweep()
  assert.equal((await processor.readIntent(unfinished)).status, 'canceled')
})

test('an intent that the processor refuses to cancel keeps no other from being cancelled, and is asked for less and less often', async () => {
  const { tenants } = await startHousehold(partner)
  const rejected = await startPaymentSetup(partner, tenants[0] ?? '')
  const other = await startPaymentSetup(partner, tenants[1] ?? '')
  await rawRows(service, 'delete from simulated_processor.setup_intents where id = $1', [rejected])
  await advanceClock(partner, { days: 15 })
  await runJob()
  await makeCheckDue(service, rejected, 2)
  await runSweep()
  assert.equal((await processor.readIntent(other)).status, 'canceled')
  const pause = await minutesUntilCheck(service, rejected)
  await makeCheckDue(service, rejected)
  await runSweep()
  assert.equal(await minutesUntilCheck(service, rejected), pause * 2)
})
