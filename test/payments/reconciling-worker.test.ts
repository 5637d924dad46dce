import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/db/databases.ts'
import { setupIntentSweepJob } from '../../src/worker/jobs/setup-intent-sweep.ts'
import { connectPartner } from '../support/client.ts'
import { paymentStatusBecomes } from '../support/customer-fixtures.ts'
import { paymentStatus } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { waitFor } from '../support/wait-for.ts'
import { runMinuteByMinute, stopDuringCall } from './minute-by-minute.fixture.ts'
import { passSilence, reconcileDependencies, withIntent } from './reconcile.fixture.ts'

const processor = await startServiceWithProcessor()
const { service, requests } = processor
const pool = new Pool({ connectionString: service.connectionString, max: 4, pipeline: true })
const deps = await reconcileDependencies(service, createDatabases(pool))
after(async () => {
  await pool.end()
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const startWorker = () => runMinuteByMinute((log) => setupIntentSweepJob({ ...deps, log }))
const asked = () => requests.filter(({ operation }) => operation.startsWith('GET /v1/setup_intents/')).length

test('the worker, while the processor is down, tries again and says so once; then it takes in what it missed', async (t) => {
  const { lead, setupIntentId } = await withIntent(partner)
  await processor.confirm(setupIntentId)
  processor.setMood('unreachable')
  requests.length = 0
  const { worker, said } = startWorker()
  t.after(() => worker.stop())
  for (const calls of [1, 3, 5]) {
    await waitFor('it is asked about', async () => {
      await passSilence(service, setupIntentId)
      return asked() >= calls
    })
  }
  await waitFor('it is logged', () => said('setup intents paused') === 1)
  processor.setMood('well')
  await waitFor('the card is ready', async () => {
    await passSilence(service, setupIntentId)
    return (await paymentStatus(partner, lead)) === 'ready'
  })
  await waitFor('its return is logged', () => said('setup intents resumed') === 1)
  assert.equal(said('setup intents paused'), 1)
})

test('stopping waits for the call under way, records it, and asks about nothing more', async () => {
  const [first, second] = [await withIntent(partner), await withIntent(partner)]
  for (const { setupIntentId } of [first, second]) await processor.confirm(setupIntentId)
  await passSilence(service, first.setupIntentId, 9)
  await passSilence(service, second.setupIntentId, 1)
  const slow = processor.holdNext(`GET /v1/setup_intents/${first.setupIntentId}`)
  requests.length = 0
  const { worker } = startWorker()
  await slow.arrived
  await stopDuringCall(worker, slow)
  await paymentStatusBecomes(partner, first.lead, 'ready')
  assert.equal(asked(), 1)
})
