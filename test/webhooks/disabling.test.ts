import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inQueueTransaction } from '../../src/platform/db/database.ts'
import { type Id, newId } from '../../src/platform/kernel/ids.ts'
import { giveUpDeliveriesOfDisabledWebhooks } from '../../src/webhooks/delivery/give-up.store.ts'
import { deleteWebhook } from '../../src/webhooks/endpoints/delete-webhook.ts'
import { purgeDeletedWebhooks } from '../../src/webhooks/endpoints/purge-deleted-webhooks.ts'
import { everyAttempt } from '../support/every-attempt.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  changeWebhook,
  countDeliveries,
  dependenciesOf,
  readWebhook,
  receivedReferences,
  untilDispatched,
  untilStatus,
  untilVerification,
  urlOf,
} from './life-cycle-fixture.ts'
import { echoChallenge, respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const remove = (lab: WebhookLab, webhookId: Id<'webhook'>) => deleteWebhook(dependenciesOf(lab), lab.caller, webhookId)
const aged = (lab: WebhookLab) =>
  lab.rows(`update webhooks set deleted_at = now() - interval '6 minutes' where deleted_at is not null`)

test('a deleted webhook is sent neither pending nor later events, but other webhooks still are', async (t) => {
  const lab = await openLab(t)
  const failing = await startReceiver(t, 500)
  const other = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(failing) })
  await lab.register({ url: urlOf(other) })
  lab.startWorker({ retrySeconds: [3_600] })
  await lab.happen(statusChanges(2))
  await waitFor('the first attempts failed', () => failing.events().length === 2)
  await remove(lab, webhookId)
  const sent = failing.received.length
  await lab.rows('update delivery_queue set next_attempt_at = now()')
  await lab.happen(statusChanges(2))
  await waitFor('the other webhook has received all events', () => other.events().length === 4)
  assert.equal(failing.received.length, sent, 'neither failed delivery is retried, although both are due')
})

test('after a deleted webhook is purged, only its events are left', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  const kept = await lab.register({ url: urlOf(receiver, '/kept') })
  const worker = lab.startWorker()
  await lab.happen(statusChanges(3))
  await waitFor(
    'all are delivered',
    async () => (await lab.rows(`select from deliveries where status = 'delivered'`)).length === 8,
  )
  await worker.stop()
  await remove(lab, webhookId)
  assert.deepEqual([await purgeDeletedWebhooks(lab, 3), await purgeDeletedWebhooks(lab, 3)], [3, 1])
  assert.equal(await purgeDeletedWebhooks(lab, 3), 0, 'the row stays while a dispatcher could refer to it')
  await aged(lab)
  assert.equal(await purgeDeletedWebhooks(lab, 3), 1)
  for (const table of ['webhooks', 'deliveries', 'webhook_secrets'])
    assert.deepEqual(
      await lab.rows(`select distinct webhook_id from ${table}`),
      [{ webhook_id: kept.webhookId }],
      table,
    )
  assert.equal((await lab.rows(`select from ${everyAttempt} a`)).length, 4)
  assert.equal((await lab.rows('select from events')).length, 3)
})

test('if a webhook is deleted during an attempt, the attempt is not recorded and has no effect', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = 410
      held.push(() => response.end())
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await lab.happen(statusChanges(1))
  await waitFor('the delivery is being sent', () => held.length === 1)
  await remove(lab, webhookId)
  await waitFor('the deliveries of the webhook are purged', async () => (await purgeDeletedWebhooks(lab, 10)) === 0)
  assert.deepEqual(await lab.rows('select from deliveries'), [])
  for (const answer of held) answer()
  const next = await startReceiver(t)
  await lab.register({ url: urlOf(next) })
  await lab.happen(statusChanges(1))
  await waitFor('the next webhook gets its event', () => next.events().length === 1)
  assert.deepEqual(await lab.rows('select from webhooks where failing_since is not null'), [])
  assert.equal(lab.logged.filter((line) => line.includes('a webhook was disabled')).length, 0)
})

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
  await lab.happen(statusChanges(3, quoteId))
  // What was on its way when the webhook was disabled can arrive before.
  await waitFor(
    'the next events of the quote arrive, in order',
    () => receivedReferences(receiver).slice(-3),
    (latest) => latest.join() === 'step 0,step 1,step 2',
  )
  assert.equal((await readWebhook(lab, webhookId)).status, 'active')
})

test('a webhook that was disabled because it failed for five days, and then enabled, is not disabled by the next failure', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t, 500)
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
