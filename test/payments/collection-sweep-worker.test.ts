import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/db/databases.ts'
import { reconcileCollections } from '../../src/domain/payments/reconcile-collections.ts'
import { collectionSweepJob } from '../../src/worker/jobs/collection-sweep.ts'
import { connectPartner } from '../support/client.ts'
import { paymentStatusBecomes } from '../support/customer-fixtures.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { waitFor } from '../support/wait-for.ts'
import { withAttachedCard } from './collection-sweep.fixture.ts'
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

const startWorker = () => runMinuteByMinute((log) => collectionSweepJob({ ...deps, log }))

test('the collection sweep, while the processor is unavailable, logs it once and goes on; then it records what it missed and logs that', async (t) => {
  const { lead, setupIntentId } = await withAttachedCard(processor, partner)
  await processor.collect(setupIntentId, 'paid')
  processor.setMood('unreachable')
  const asked = () => processor.requests.filter(({ operation }) => operation.startsWith('GET /v1/events?')).length
  processor.requests.length = 0
  const { worker, said } = startWorker()
  t.after(() => worker.stop())
  await waitFor('it is logged', () => said('collections paused') > 0)
  await waitFor('it asks again several times', () => asked() > 3)
  processor.setMood('well')
  await waitFor('that it is back is logged', () => said('collections resumed') === 1)
  await paymentStatusBecomes(partner, lead, 'paid')
  assert.equal(said('collections paused'), 1)
  assert.equal(said('collections without a notice recorded'), 1)
})

test('stopping waits for the call under way, and nothing of it is lost', async () => {
  const { lead, setupIntentId } = await withAttachedCard(processor, partner)
  // The second one starts where the first ended, and so will the next.
  for (let sweep = 0; sweep < 2; sweep += 1) await reconcileCollections(deps, { isStopping: () => false })
  const listed = processor.requests.findLast(({ operation }) => operation.includes('/v1/events'))
  await processor.collect(setupIntentId, 'failed')
  const slow = processor.holdNext(listed?.operation ?? 'none was asked for')
  const { worker } = startWorker()
  await slow.arrived
  await stopDuringCall(worker, slow)
  const again = startWorker()
  await paymentStatusBecomes(partner, lead, 'failed')
  await again.worker.stop()
})
