import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { collectionSweepJob } from '../../src/payments/collecting/collection-sweep.job.ts'
import { reconcileCollections } from '../../src/payments/reconcile-collections.ts'
import { connectPartner } from '../support/client.ts'
import { waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { waitFor } from '../support/wait-for.ts'
import { createCustomerWithCard } from './collection-sweep.fixture.ts'
import { runEvery20Ms, stopDuringCall } from './every-20-ms.fixture.ts'
import { createReconcileDependencies } from './reconcile.fixture.ts'

const processor = await startServiceWithProcessor()
const { service } = processor
const deps = await createReconcileDependencies(service, await openDatabases(service.connectionString))
after(async () => {
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const startWorker = () => runEvery20Ms((log) => collectionSweepJob({ ...deps, log }))

test('the collection sweep logs an outage of the processor once and retries; afterwards it records missed collections and logs that', async (t) => {
  const { lead, setupIntentId } = await createCustomerWithCard(processor, partner)
  await processor.collect(setupIntentId, 'paid')
  processor.setMode('unreachable')
  const asked = () => processor.requests.filter(({ operation }) => operation.startsWith('GET /v1/events?')).length
  processor.requests.length = 0
  const { worker, said } = startWorker()
  t.after(() => worker.stop())
  await waitFor('the failure is logged', () => said('collection sweep paused') > 0)
  await waitFor('the sweep is retried several times', () => asked() > 3)
  processor.setMode('up')
  await waitFor('the recovery is logged', () => said('collection sweep resumed') === 1)
  await waitForPaymentStatus(partner, lead, 'paid')
  assert.equal(said('collection sweep paused'), 1)
  assert.equal(said('recorded collections for which no notice had arrived'), 1)
})

test('a collection sweep that is told to stop during a call waits for the call to end and loses nothing', async () => {
  const { lead, setupIntentId } = await createCustomerWithCard(processor, partner)
  // The second sweep starts where the first ended and finds nothing new, so the worker's sweep starts there too, with
  // the same request.
  for (let sweep = 0; sweep < 2; sweep += 1) await reconcileCollections(deps, { isStopping: () => false })
  const listed = processor.requests.findLast(({ operation }) => operation.includes('/v1/events'))
  await processor.collect(setupIntentId, 'failed')
  const slow = processor.holdNext(listed?.operation ?? 'no listing yet')
  const { worker } = startWorker()
  await slow.arrived
  await stopDuringCall(worker, slow)
  const again = startWorker()
  await waitForPaymentStatus(partner, lead, 'failed')
  await again.worker.stop()
})
