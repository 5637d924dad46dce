import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { deleteWebhook } from '../../src/webhooks/endpoints/delete-webhook.ts'
import { purgeDeletedWebhooks } from '../../src/webhooks/endpoints/purge-deleted-webhooks.ts'
import { everyAttempt } from '../support/every-attempt.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf, untilVerification, urlOf } from './life-cycle-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const remove = (lab: WebhookLab, webhookId: Id<'webhook'>) => deleteWebhook(dependenciesOf(lab), lab.caller, webhookId)
const aged = (lab: WebhookLab) =>
  lab.rows(`update webhooks set deleted_at = now() - interval '6 minutes' where deleted_at is not null`)

test('a deleted webhook is sent neither pending nor later events, but other webhooks still are', async (t) => {
  const lab = await openLab(t)
  const failing = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = 500
      response.end()
    }),
  )
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

test('if a deleted webhook has more deliveries than one purge can remove, all of them are left to a job', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test:1/' })
  await lab.rows(
    `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_type, own_body)
     select 'delivery_' || n, partner_id, webhook_id, 'event_' || n, 'quote.status.changed', '{}'
     from webhooks cross join generate_series(1, 2_500) n`,
  )
  await remove(lab, webhookId)
  await assert.rejects(remove(lab, webhookId), { code: 'not_found' })
  assert.deepEqual(
    await lab.rows("select count(*)::int as kept from deliveries where event_type = 'quote.status.changed'"),
    [{ kept: 2_500 }],
  )
})
