import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/db/databases.ts'
import { reconcileSetupIntents } from '../../src/domain/payments/reconcile-setup-intents.ts'
import { connectPartner } from '../support/client.ts'
import { paymentStatusHistory, rawRows } from '../support/customer-fixtures.ts'
import { paymentStatus } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { minutesToAsk, passSilence, reconcileDependencies, withIntent } from './reconcile.fixture.ts'

// No notice of the processor's ever arrives here.
const processor = await startServiceWithProcessor()
const { service, requests } = processor
const pool = new Pool({ connectionString: service.connectionString, max: 4, pipeline: true })
const deps = await reconcileDependencies(service, createDatabases(pool))
after(async () => {
  await pool.end()
  await processor.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

const sweep = (batch = 20, isStopping = () => false) => reconcileSetupIntents(deps, { batch, isStopping })
const asked = () => requests.filter(({ operation }) => operation.startsWith('GET /v1/setup_intents/')).length

beforeEach(() => {
  requests.length = 0
  processor.setMode('up')
})
// What one test leaves open is not asked about in the next.
afterEach(() => rawRows(service, "update setup_intents set ask_after = now() + interval '1 day'"))

test('an intent, when its notice never came, is asked about and taken in with one event; then never again', async () => {
  const [ready, refused] = [await withIntent(partner), await withIntent(partner)]
  await processor.confirm(ready.setupIntentId)
  await processor.confirm(refused.setupIntentId, 'pm_card_chargeDeclined')
  await passSilence(service)
  requests.length = 0
  assert.deepEqual(await sweep(), { claimed: 2, answered: 2, unavailable: false, failures: [] })
  assert.deepEqual(await paymentStatusHistory(service, ready.lead), ['setup_started', 'ready'])
  assert.deepEqual(await paymentStatusHistory(service, refused.lead), ['setup_started', 'setup_failed'])
  await passSilence(service, ready.setupIntentId)
  assert.equal((await sweep()).claimed, 0)
  assert.equal(asked(), 2)
})

test('an intent that was heard of within five minutes is left alone, and news starts the five minutes over', async () => {
  const { setupIntentId } = await withIntent(partner)
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
  assert.equal((await sweep()).claimed, 0)
  await passSilence(service, setupIntentId)
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  succeeded(await processor.notify('setup_intent.setup_failed', failed))
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
  assert.equal((await sweep()).claimed, 0)
})

test('two notices of one second, in the wrong order, while the processor is down: the last counts until the next round asks', async () => {
  const { lead, setupIntentId } = await withIntent(partner)
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
  assert.equal((await sweep()).answered, 1)
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal((await sweep()).claimed, 0)
})

test('an answer that a notice has overtaken is dropped, and the notice has set when to ask again', async () => {
  const { lead, setupIntentId } = await withIntent(partner)
  await passSilence(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  succeeded(await processor.notify('setup_intent.setup_failed', failed))
  call.release()
  assert.equal((await round).answered, 1)
  assert.deepEqual(await paymentStatusHistory(service, lead), ['setup_started', 'setup_failed'])
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
})

test('an answer that the card is attached counts, whatever notice came before it', async () => {
  const { lead, setupIntentId } = await withIntent(partner)
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  await processor.authenticate(setupIntentId, 'authenticated')
  await passSilence(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  succeeded(await processor.notify('setup_intent.requires_action', acting))
  call.release()
  assert.equal((await round).answered, 1)
  assert.deepEqual(await paymentStatusHistory(service, lead), ['setup_started', 'ready'])
})

test('a question that failed leaves the next time to the notice that came meanwhile', async () => {
  const { setupIntentId } = await withIntent(partner)
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  await rawRows(service, 'update setup_intents set asked_count = 12 where setup_intent_id = $1', [setupIntentId])
  await rawRows(service, 'delete from simulated_processor.setup_intents where id = $1', [setupIntentId])
  await passSilence(service, setupIntentId)
  const call = processor.holdNext(`GET /v1/setup_intents/${setupIntentId}`, 'response')
  const round = sweep()
  await call.arrived
  succeeded(await processor.notify('setup_intent.setup_failed', failed))
  call.release()
  assert.equal((await round).failures.length, 1)
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
})

test('an intent that stays open is asked about at intervals that double, a week apart at most, until there is news', async () => {
  const { setupIntentId } = await withIntent(partner)
  const intervals: number[] = []
  for (let round = 0; round < 14; round += 1) {
    await passSilence(service, setupIntentId)
    assert.equal((await sweep()).answered, 1)
    intervals.push(await minutesToAsk(service, setupIntentId))
  }
  const doubling = Array.from({ length: 14 }, (_, round) => Math.min(10 * 2 ** round, 7 * 1_440))
  assert.deepEqual(intervals, doubling)
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  succeeded(await processor.notify('setup_intent.requires_action', acting))
  await passSilence(service, setupIntentId)
  await sweep()
  assert.equal(await minutesToAsk(service, setupIntentId), 10)
})

test('a round takes a bounded batch, and first those that were silent the longest', async () => {
  const intents = [await withIntent(partner), await withIntent(partner), await withIntent(partner)]
  for (const [index, { setupIntentId }] of intents.entries()) {
    await processor.confirm(setupIntentId)
    await passSilence(service, setupIntentId, [2, 30, 7][index])
  }
  assert.equal((await sweep(2)).claimed, 2)
  const statuses = await Promise.all(intents.map(({ lead }) => paymentStatus(partner, lead)))
  assert.deepEqual(statuses, ['setup_started', 'ready', 'ready'])
  assert.equal((await sweep(2)).claimed, 1)
})

test('rounds of several processes at once ask about each intent once', async () => {
  const intents = await Promise.all(Array.from({ length: 6 }, () => withIntent(partner)))
  await passSilence(service)
  for (const { setupIntentId } of intents) await passSilence(service, setupIntentId)
  requests.length = 0
  const rounds = await Promise.all([sweep(4), sweep(4), sweep(4), sweep(4)])
  const claimed = rounds.reduce((sum, round) => sum + round.claimed, 0)
  assert.equal(asked(), claimed)
  const paths = requests.map(({ operation }) => operation)
  assert.equal(new Set(paths).size, paths.length)
})

test('a processor that is down, when asked, is left alone; the intents have their turn again in five minutes', async () => {
  const { lead, setupIntentId } = await withIntent(partner)
  const second = await withIntent(partner)
  await processor.confirm(setupIntentId)
  await passSilence(service, setupIntentId)
  await passSilence(service, second.setupIntentId)
  requests.length = 0
  processor.setMode('unreachable')
  const round = await sweep()
  assert.deepEqual([round.answered, round.unavailable, round.failures], [0, true, []])
  const attempts = asked()
  assert.ok(attempts >= 1 && attempts <= 2, "the library's one repetition, and the partner's other intent is not tried")
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
  processor.setMode('up')
  assert.equal((await sweep()).claimed, 0)
  await passSilence(service, setupIntentId)
  assert.equal((await sweep()).answered, 1)
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('an intent the processor does not know is named, asked about ever less often, and holds up no other', async () => {
  const unknown = await withIntent(partner)
  const other = await withIntent(await connectNewPartner(service))
  await rawRows(service, 'delete from simulated_processor.setup_intents where id = $1', [unknown.setupIntentId])
  await passSilence(service, unknown.setupIntentId, 9)
  await passSilence(service, other.setupIntentId, 1)
  const round = await sweep()
  assert.deepEqual([round.claimed, round.answered, round.unavailable], [2, 1, false])
  assert.deepEqual(
    round.failures.map(({ setupIntentId }) => setupIntentId),
    [unknown.setupIntentId],
  )
  assert.equal(await minutesToAsk(service, unknown.setupIntentId), 10)
})

test('a round that is to stop asks about nothing more and leaves the rest to the next', async () => {
  const { setupIntentId } = await withIntent(partner)
  await passSilence(service, setupIntentId)
  requests.length = 0
  const round = await sweep(20, () => true)
  assert.deepEqual([round.claimed, round.answered, asked()], [1, 0, 0])
  assert.equal(await minutesToAsk(service, setupIntentId), 5)
})

test('a sweep that races the notice, an acceptance and itself ends in one result', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { lead, setupIntentId } = await withIntent(partner)
    const intent = await processor.confirm(setupIntentId)
    await passSilence(service, setupIntentId)
    const [accepted] = await Promise.all([
      partner.post(`/Customers/${lead}/accept-terms`),
      sweep(),
      sweep(),
      processor.notify('setup_intent.succeeded', intent),
    ])
    succeeded(accepted)
    assert.deepEqual(await paymentStatusHistory(service, lead), ['setup_started', 'ready'])
  }
})
