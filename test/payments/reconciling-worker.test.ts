import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setupIntentSweepJob } from '../../src/payments/setup-intents/setup-intent-sweep.job.ts'
import { connectPartner } from '../support/client.ts'
import { waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { paymentStatus } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { waitFor } from '../support/wait-for.ts'
import { runEvery20Ms, stopDuringCall } from './every-20-ms.fixture.ts'
import { createCustomerWithIntent, createReconcileDependencies, makeCheckDue } from './reconcile.fixture.ts'

const processor = await startServiceWithProcessor()
const { service, requests } = processor
const deps = await createReconcileDependencies(service, await openDatabases(service.connectionString))
after(async () => {
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const startWorker = () => runEvery20Ms((log) => setupIntentSweepJob({ ...deps, log }))
const asked = () => requests.filter(({ operation }) => operation.startsWith('GET /v1/setup_intents/')).length

test('while the processor is down, the worker retries and logs the outage once; then it applies the changes that it missed', async (t) => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  await processor.confirm(setupIntentId)
  processor.setMode('unreachable')
  requests.length = 0
  const { worker, said } = startWorker()
  t.after(() => worker.stop())
  for (const calls of [1, 3, 5]) {
    await waitFor('the intent is checked', async () => {
      await makeCheckDue(service, setupIntentId)
      return asked() >= calls
    })
  }
  await waitFor('the failure is logged', () => said('setup-intent sweep paused') === 1)
  processor.setMode('up')
  await waitFor('the card is ready', async () => {
    await makeCheckDue(service, setupIntentId)
    return (await paymentStatus(partner, lead)) === 'ready'
  })
  await waitFor('the recovery is logged', () => said('setup-intent sweep resumed') === 1)
  assert.equal(said('setup-intent sweep paused'), 1)
})

test('a worker stopped during a call waits for the call, records the result and makes no more calls', async () => {
  const [first, second] = [await createCustomerWithIntent(partner), await createCustomerWithIntent(partner)]
  for (const { setupIntentId } of [first, second]) await processor.confirm(setupIntentId)
  await makeCheckDue(service, first.setupIntentId, 9)
  await makeCheckDue(service, second.setupIntentId, 1)
  const slow = processor.holdNext(`GET /v1/setup_intents/${first.setupIntentId}`)
  requests.length = 0
  const { worker } = startWorker()
  await slow.arrived
  await stopDuringCall(worker, slow)
  await waitForPaymentStatus(partner, first.lead, 'ready')
  assert.equal(asked(), 1)
})
