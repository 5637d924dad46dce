import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { reconcileSetupIntents } from '../../src/payments/setup-intents/reconcile-setup-intents.ts'
import { setupIntentSweepJob } from '../../src/payments/setup-intents/setup-intent-sweep.job.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { paymentStatus } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { runEvery20Ms, stopDuringCall } from './every-20-ms.fixture.ts'
import {
  createCustomerWithIntent,
  createReconcileDependencies,
  makeCheckDue,
  minutesUntilCheck,
} from './reconcile.fixture.ts'

// The processor's notices never arrive here unless a test sends them.
const processor = await startServiceWithProcessor()
const { service, requests } = processor
const deps = await createReconcileDependencies(service, await openDatabases(service.connectionString))
after(async () => {
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const sweep = (batch = 20, isStopping = () => false) => reconcileSetupIntents(deps, { batch, isStopping })
const asked = () => requests.filter(({ operation }) => operation.startsWith('GET /v1/setup_intents/')).length

beforeEach(() => {
  requests.length = 0
  processor.setMode('up')
})
// Prevents intents that one test leaves open from being checked during the next test.
afterEach(() => rawRows(service, "update setup_intents set retry_at = now() + interval '1 day'"))

test('an intent whose notice never arrived is checked and updated with one event, and never checked again', async () => {
  const [ready, rejected] = [await createCustomerWithIntent(partner), await createCustomerWithIntent(partner)]
  await processor.confirm(ready.setupIntentId)
  await processor.confirm(rejected.setupIntentId, 'pm_card_chargeDeclined')
  await makeCheckDue(service)
  requests.length = 0
  assert.deepEqual(await sweep(), { claimed: 2, checked: 2, unavailable: false, failures: [] })
  assert.deepEqual(await readPaymentStatusHistory(service, ready.lead), ['setup_started', 'ready'])
  assert.deepEqual(await readPaymentStatusHistory(service, rejected.lead), ['setup_started', 'setup_failed'])
  await makeCheckDue(service, ready.setupIntentId)
  assert.equal((await sweep()).claimed, 0)
  // The third call reads the card that was attached.
  assert.equal(asked(), 3)
})

test('the card of a succeeded intent that could not be read when its notice arrived is read by a later sweep, once', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  const intent = await processor.confirm(setupIntentId)
  processor.setMode('failing')
  succeeded(await processor.notify('setup_intent.succeeded', intent))
  await makeCheckDue(service, setupIntentId)
  assert.equal((await sweep()).unavailable, true)
  processor.setMode('up')
  await makeCheckDue(service, setupIntentId)
  assert.deepEqual(await sweep(), { claimed: 1, checked: 1, unavailable: false, failures: [] })
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentMethod?.last4, '4242')
  await makeCheckDue(service, setupIntentId)
  assert.equal((await sweep()).claimed, 0)
})

test('if two notices from the same second arrive in the wrong order during an outage, the last to arrive counts until the next sweep', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  const happenedAt = Math.floor(Date.now() / 1000)
  for (let copy = 0; copy < 2; copy += 1)
    succeeded(await processor.notify('setup_intent.requires_action', acting, { happenedAt }))
  assert.equal((await sweep()).claimed, 0)
  processor.setMode('unreachable')
  succeeded(await processor.notify('setup_intent.setup_failed', failed, { happenedAt }))
  assert.equal(await paymentStatus(partner, lead), 'setup_failed')
  processor.setMode('up')
  assert.equal((await sweep()).checked, 1)
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal((await sweep()).claimed, 0)
})

test('a response is dropped if a notice arrived during the call; the notice then determines when the next check is due', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  await makeCheckDue(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  succeeded(await processor.notify('setup_intent.setup_failed', failed))
  call.release()
  assert.equal((await round).checked, 1)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'setup_failed'])
  assert.equal(await minutesUntilCheck(service, setupIntentId), 5)
})

test('a response saying that the card is attached is applied, whatever notice came before it', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  await processor.authenticate(setupIntentId, 'authenticated')
  await makeCheckDue(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  succeeded(await processor.notify('setup_intent.requires_action', acting))
  call.release()
  assert.equal((await round).checked, 1)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
})

test('if a notice arrives during a check that fails, the notice determines when the next check is due', async () => {
  const { setupIntentId } = await createCustomerWithIntent(partner)
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  await rawRows(service, 'update setup_intents set attempt_count = 12 where setup_intent_id = $1', [setupIntentId])
  await rawRows(service, 'delete from simulated_processor.setup_intents where id = $1', [setupIntentId])
  await makeCheckDue(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  succeeded(await processor.notify('setup_intent.setup_failed', failed))
  call.release()
  assert.equal((await round).failures.length, 1)
  assert.equal(await minutesUntilCheck(service, setupIntentId), 5)
})

test('an intent that stays open is checked at intervals that double, up to a week, until a notice arrives', async () => {
  const { setupIntentId } = await createCustomerWithIntent(partner)
  assert.equal(await minutesUntilCheck(service, setupIntentId), 5)
  const intervals: number[] = []
  for (let round = 0; round < 14; round += 1) {
    await makeCheckDue(service, setupIntentId)
    assert.equal((await sweep()).checked, 1)
    intervals.push(await minutesUntilCheck(service, setupIntentId))
  }
  const doubling = Array.from({ length: 14 }, (_, round) => Math.min(10 * 2 ** round, 7 * 1_440))
  assert.deepEqual(intervals, doubling)
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  succeeded(await processor.notify('setup_intent.requires_action', acting))
  await makeCheckDue(service, setupIntentId)
  await sweep()
  assert.equal(await minutesUntilCheck(service, setupIntentId), 10)
})

test('a sweep checks a limited batch, starting with the intents whose checks are most overdue', async () => {
  const intents = [
    await createCustomerWithIntent(partner),
    await createCustomerWithIntent(partner),
    await createCustomerWithIntent(partner),
  ]
  for (const [index, { setupIntentId }] of intents.entries()) {
    await processor.confirm(setupIntentId)
    await makeCheckDue(service, setupIntentId, [2, 30, 7][index])
  }
  assert.equal((await sweep(2)).claimed, 2)
  const statuses = await Promise.all(intents.map(({ lead }) => paymentStatus(partner, lead)))
  assert.deepEqual(statuses, ['setup_started', 'ready', 'ready'])
  assert.equal((await sweep(2)).claimed, 1)
})

test('if several processes sweep at the same time, each intent is checked only once', async () => {
  const intents = await Promise.all(Array.from({ length: 6 }, () => createCustomerWithIntent(partner)))
  await makeCheckDue(service)
  for (const { setupIntentId } of intents) await makeCheckDue(service, setupIntentId)
  requests.length = 0
  const rounds = await Promise.all([sweep(4), sweep(4), sweep(4), sweep(4)])
  const claimed = rounds.reduce((sum, round) => sum + round.claimed, 0)
  assert.equal(asked(), claimed)
  const paths = requests.map(({ operation }) => operation)
  assert.equal(new Set(paths).size, paths.length)
})

test('a sweep stops early if the processor is down; the intents are due again in five minutes', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  const second = await createCustomerWithIntent(partner)
  await processor.confirm(setupIntentId)
  await makeCheckDue(service, setupIntentId)
  await makeCheckDue(service, second.setupIntentId)
  requests.length = 0
  processor.setMode('unreachable')
  const round = await sweep()
  assert.deepEqual([round.checked, round.unavailable, round.failures], [0, true, []])
  const attempts = asked()
  assert.ok(attempts >= 1 && attempts <= 2, "one retry by the library, and no call for the partner's other intent")
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal(await minutesUntilCheck(service, setupIntentId), 5)
  processor.setMode('up')
  assert.equal((await sweep()).claimed, 0)
  await makeCheckDue(service, setupIntentId)
  assert.equal((await sweep()).checked, 1)
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('an intent that the processor does not know is named in the log, is checked less and less often, and blocks no other', async () => {
  const unknown = await createCustomerWithIntent(partner)
  const other = await createCustomerWithIntent(await connectNewPartner(service))
  await rawRows(service, 'delete from simulated_processor.setup_intents where id = $1', [unknown.setupIntentId])
  await makeCheckDue(service, unknown.setupIntentId, 9)
  await makeCheckDue(service, other.setupIntentId, 1)
  const round = await sweep()
  assert.deepEqual([round.claimed, round.checked, round.unavailable], [2, 1, false])
  assert.deepEqual(
    round.failures.map(({ setupIntentId }) => setupIntentId),
    [unknown.setupIntentId],
  )
  assert.equal(await minutesUntilCheck(service, unknown.setupIntentId), 10)
})

test('a sweep that races the notice, an acceptance and another sweep leads to a single outcome', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { lead, setupIntentId } = await createCustomerWithIntent(partner)
    const intent = await processor.confirm(setupIntentId)
    await makeCheckDue(service, setupIntentId)
    const [accepted] = await Promise.all([
      partner.post(`/Customers/${lead}/accept-terms`),
      sweep(),
      sweep(),
      processor.notify('setup_intent.succeeded', intent),
    ])
    succeeded(accepted)
    assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
  }
})

test('a card that cannot be made the default keeps no other tenant of its partner from being checked', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent(partner)
  succeeded(await processor.notify('setup_intent.succeeded', await processor.confirm(setupIntentId)))
  const replacement = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
  const other = await createCustomerWithIntent(partner)
  const { payment_method } = (await processor.confirm(replacement.setupIntentId)) as unknown as {
    payment_method: string
  }
  await processor.confirm(other.setupIntentId)
  const detached = await fetch(`${service.environment.STRIPE_API_BASE}/v1/payment_methods/${payment_method}/detach`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.environment.STRIPE_SECRET_KEY}` },
  })
  assert.equal(detached.status, 200)
  await makeCheckDue(service, other.setupIntentId)
  await makeCheckDue(service, replacement.setupIntentId, 2)
  const { unavailable, failures, checked } = await sweep()
  assert.deepEqual(
    [unavailable, checked, failures.map((failure) => failure.setupIntentId)],
    [false, 1, [replacement.setupIntentId]],
  )
  assert.equal(await paymentStatus(partner, other.lead), 'ready')
  await makeCheckDue(service, replacement.setupIntentId)
  await sweep()
  const first = await minutesUntilCheck(service, replacement.setupIntentId)
  await makeCheckDue(service, replacement.setupIntentId)
  await sweep()
  assert.equal(await minutesUntilCheck(service, replacement.setupIntentId), first * 2)
})

const startWorker = () => runEvery20Ms((log) => setupIntentSweepJob({ ...deps, log }))

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
