import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inQueueTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { giveUpDeliveriesOfDisabledWebhooks } from '../../src/webhooks/delivery/give-up.store.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  changeWebhook,
  countDeliveries,
  readWebhook,
  receivedReferences,
  untilDispatched,
  untilStatus,
  untilVerification,
  urlOf,
} from './life-cycle-fixture.ts'
import { echoChallenge, respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

test('a webhook that its partner has disabled is sent nothing, and events that occur while it is disabled are not queued for it', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  const { status, disabledReason, verification } = await changeWebhook(lab, webhookId, { status: 'disabled' })
  assert.deepEqual([status, disabledReason, verification], ['disabled', 'You disabled it.', 'verified'])
  await lab.happen(statusChanges(2))
  await untilDispatched(lab)

  const enabled = await changeWebhook(lab, webhookId, { status: 'active' })
  assert.deepEqual([enabled.status, enabled.disabledReason, enabled.verification], ['active', null, 'verified'])
  await lab.happen([...statusChanges(1), ...statusChanges(1)])
  await waitFor('a later event arrives', () => receiver.events().length === 2)
  assert.deepEqual(receivedReferences(receiver), ['step 0', 'step 0'])
  assert.equal(receiver.received.length, 3, 'a verified webhook is sent no new challenge')
  await waitFor('both are recorded', async () => (await countDeliveries(lab)).delivered === 2)
  assert.deepEqual(await countDeliveries(lab), { delivered: 2 })
})

test('a webhook disabled by a 410 and enabled again gets the next events of the same quote', async (t) => {
  const lab = await openLab(t)
  let gone = true
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = gone ? 410 : 204
      response.end()
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  const quoteId = newId('quote')
  await lab.happen(statusChanges(4, quoteId))
  await untilStatus(lab, webhookId, 'disabled')
  assert.equal((await readWebhook(lab, webhookId)).disabledReason, 'The receiver responded with 410 Gone.')

  gone = false
  const { status, disabledReason, disabledAt, failingSince } = await changeWebhook(lab, webhookId, { status: 'active' })
  assert.deepEqual([status, disabledReason, disabledAt, failingSince], ['active', null, null, null])
  assert.deepEqual(await lab.rows('select failing_since, last_failed_at from webhooks'), [
    { failing_since: null, last_failed_at: null },
  ])
  await untilDispatched(lab)
  const before = receiver.events().length
  await lab.happen(statusChanges(3, quoteId))
  await waitFor('the next events of the quote arrive', () => receiver.events().length === before + 3)
  assert.deepEqual(receivedReferences(receiver).slice(-3), ['step 0', 'step 1', 'step 2'])
  assert.equal((await readWebhook(lab, webhookId)).status, 'active')
})

test('a webhook that was disabled because it failed for five days, and then enabled, is not disabled by the next failure', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = 500
      response.end()
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await lab.rows(`update webhooks set failing_since = now() - interval '5 days', last_failed_at = now()`)
  await lab.happen(statusChanges(1))
  await untilStatus(lab, webhookId, 'disabled')
  const disabled = await readWebhook(lab, webhookId)
  assert.equal(disabled.disabledReason, 'Every delivery failed for five days.')
  assert.ok(disabled.disabledAt !== null && disabled.failingSince !== null)
  const failedForDays = (disabled.disabledAt.getTime() - disabled.failingSince.getTime()) / 86_400_000
  assert.ok(failedForDays >= 5 && failedForDays < 5.01, String(failedForDays))

  await changeWebhook(lab, webhookId, { status: 'active' })
  await lab.happen(statusChanges(1))
  await waitFor('the next delivery has failed', async () => (await countDeliveries(lab)).failed === 2)
  assert.equal((await readWebhook(lab, webhookId)).status, 'active')
})

test('a 410 does not disable a webhook that was disabled and re-enabled during the attempt', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      held.push(() => {
        response.statusCode = 410
        response.end()
      })
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await lab.happen(statusChanges(1))
  await waitFor('the delivery is being sent', () => held.length === 1)
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await changeWebhook(lab, webhookId, { status: 'active' })
  for (const answer of held) answer()
  await waitFor('the attempt is recorded', async () => (await countDeliveries(lab)).failed === 1)
  const webhook = await readWebhook(lab, webhookId)
  assert.deepEqual([webhook.status, webhook.disabledReason], ['active', null])
})

test('thousands of pending deliveries fail if their webhook is disabled and enabled again, and later events arrive', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  const quoteId = newId('quote')
  await lab.happen(statusChanges(1, quoteId))
  const worker = lab.startWorker({ requireVerification: true, limits: { slots: 0 } })
  await untilDispatched(lab)
  await worker.stop()
  await lab.rows(
    `insert into events (event_id, partner_id, quote_id, type, data, dispatched_at)
       select 'event_copy_' || n, partner_id, quote_id, type, data, now() from events
         cross join generate_series(1, 2500) n`,
  )
  await lab.rows(
    `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
     event_number, in_order)
     select 'delivery_' || e.event_id, e.partner_id, $1, e.event_id, e.event_id, e.type, e.quote_id, e.event_number,
       true
     from events e where e.event_id like 'event_copy_%'`,
    [webhookId],
  )
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await changeWebhook(lab, webhookId, { status: 'active' })
  assert.deepEqual(await countDeliveries(lab), { failed: 2_501 })
  lab.startWorker()
  await lab.happen(statusChanges(2, quoteId))
  await waitFor('both arrive', () => receiver.events().length === 2)
})

test('events never get stuck, even if their webhook is repeatedly disabled and re-enabled while they are dispatched', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker({ limits: { dispatchBatch: 3 } })
  const quotes = Array.from({ length: 5 }, () => newId('quote'))
  for (let round = 0; round < 12; round += 1) {
    const status = round % 2 === 0 ? 'disabled' : 'active'
    await Promise.all([
      ...quotes.map((quoteId) => lab.happen(statusChanges(3, quoteId))),
      changeWebhook(lab, webhookId, { status }),
      inQueueTransaction(lab.db, (tx) => giveUpDeliveriesOfDisabledWebhooks(tx, 7)),
    ])
  }
  await untilDispatched(lab)
  await waitFor('no delivery is pending any more', async () => (await countDeliveries(lab)).pending === undefined)
  const before = receiver.events().length
  for (const quoteId of quotes) await lab.happen(statusChanges(1, quoteId))
  await waitFor('the next event of every quote arrives', () => receiver.events().length === before + quotes.length)
})

test('an unverified webhook that is disabled and re-enabled is sent a new challenge', async (t) => {
  const lab = await openLab(t)
  let willing = false
  const receiver = await startReceiver(t, (received, response, count) => {
    if (willing) return echoChallenge(received, response, count)
    response.statusCode = 500
    response.end()
  })
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker({ requireVerification: true, retrySeconds: [3_600] })
  await waitFor('one challenge was sent', () => receiver.received.length === 1)
  assert.equal((await changeWebhook(lab, webhookId, { status: 'disabled' })).verification, 'failed')
  willing = true
  assert.equal((await changeWebhook(lab, webhookId, { status: 'active' })).verification, 'pending')
  await untilVerification(lab, webhookId, 'verified')
  const [first, second] = receiver.received
  assert.notEqual(first?.message.data.challenge, second?.message.data.challenge)
})
