import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/db/databases.ts'
import { sweepingCollectionsJob } from '../../src/worker/sweeping-collections.ts'
import { connectPartner } from '../support/client.ts'
import { paymentStatusBecomes, rawRows } from '../support/customer-fixtures.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { waitFor } from '../support/wait-for.ts'
import { turnComes, withAttachedCard } from './collection-sweep.fixture.ts'
import { runMinuteByMinute, stopDuringCall } from './minute-by-minute.fixture.ts'
import { reconcileDependencies } from './reconcile.fixture.ts'

const processor = await startServiceWithProcessor()
const { service } = processor
const pool = new Pool({ connectionString: service.connectionString, max: 4, pipeline: true })
const deps = await reconcileDependencies(service, createDatabases(pool))
after(async () => {
  await pool.end()
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const startWorker = () => runMinuteByMinute((log) => sweepingCollectionsJob({ ...deps, log }))
const isTurnTaken = async () => {
  const [row] = await rawRows(service, "select value from deployment_settings where name = 'collection-sweep-due'")
  return row?.value !== '0'
}

test('the worker, while the processor is down, says so once and goes on; then it takes in what it missed and says that', async (t) => {
  const { lead, setupIntentId } = await withAttachedCard(processor, partner)
  await processor.collect(setupIntentId, 'paid')
  processor.setMood('unreachable')
  const { worker, said } = startWorker()
  t.after(() => worker.stop())
  for (let turn = 0; turn < 2; turn += 1) {
    await turnComes(service)
    await waitFor('the turn is taken', isTurnTaken)
    await waitFor('it is logged', () => said('cannot be asked about collections') > 0)
  }
  processor.setMood('well')
  // The turn under way may have begun before.
  await waitFor('it asks again', async () => {
    await turnComes(service)
    await waitFor('the turn is taken', isTurnTaken)
    return said('lists collections again') === 1
  })
  await paymentStatusBecomes(partner, lead, 'paid')
  assert.equal(said('cannot be asked about collections'), 1)
  assert.equal(said('collections without a notice were taken in'), 1)
})

test('stopping waits for the call under way, and nothing of it is lost', async () => {
  const { lead, setupIntentId } = await withAttachedCard(processor, partner)
  await processor.collect(setupIntentId, 'failed')
  const listed = () =>
    processor.requests.map(({ operation }) => operation).findLast((each) => each.includes('/v1/events'))
  const slow = processor.holdNext(listed() ?? 'none was asked for')
  await turnComes(service)
  const { worker } = startWorker()
  await slow.arrived
  await stopDuringCall(worker, slow)
  const again = startWorker()
  await turnComes(service)
  await paymentStatusBecomes(partner, lead, 'failed')
  await again.worker.stop()
})
