import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { getDelivery } from '../../src/webhooks/history/read-deliveries.ts'
import { sendVerification } from '../../src/webhooks/messages/send-test-event.ts'
import { redeliver } from '../../src/webhooks/replay/redeliver.ts'
import { waitFor } from '../support/wait-for.ts'
import { changeWebhook, dependenciesOf, untilStatus, urlOf } from './life-cycle-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

/** For each delivery, oldest first: what it waits for, why it was given up, or otherwise its status. */
async function reasons(lab: WebhookLab, of: 'events' | 'challenges' = 'events'): Promise<string[]> {
  const rows = await lab.rows(
    `select delivery_id from deliveries where is_event = ${of === 'events'} order by created_at, event_number`,
  )
  const deliveries = await Promise.all(
    rows.map(({ delivery_id }) => getDelivery(dependenciesOf(lab), lab.caller, delivery_id as Id<'delivery'>)),
  )
  return deliveries.map(({ status, waitingFor, givenUpBecause }) => {
    assert.equal(waitingFor !== null, status === 'pending')
    assert.equal(givenUpBecause !== null, status === 'failed')
    return waitingFor ?? givenUpBecause ?? status
  })
}

const untilReasons = (lab: WebhookLab, expected: readonly string[]) =>
  waitFor(expected.join(', '), async () => (await reasons(lab)).join() === expected.join())

test('a waiting delivery shows what it is waiting for', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => held.push(() => response.writeHead(500).end())),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker({ retrySeconds: [3_600] })
  await lab.happen(statusChanges(2))
  await waitFor('the first event is being sent', () => held.length === 1)
  await untilReasons(lab, ['answer', 'earlier_event'])
  held[0]?.()
  await untilReasons(lab, ['retry', 'answer'])
  const [first] = await lab.rows('select delivery_id from deliveries where is_event order by event_number')
  await redeliver(dependenciesOf(lab), lab.caller, first?.delivery_id as Id<'delivery'>)
  await waitFor('the first event is sent again', () => held.length === 3)
  for (const end of held.slice(1)) end()
  await untilReasons(lab, ['retry', 'retry'])
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await untilReasons(lab, ['webhook_disabled', 'webhook_disabled'])
})

test('a failed delivery says whether all its attempts were used up or a 410 disabled the webhook', async (t) => {
  const lab = await openLab(t)
  let status = 500
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(status).end()),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker({ retrySeconds: [] })
  await lab.happen(statusChanges(1))
  await untilReasons(lab, ['attempts_used_up'])
  status = 410
  await lab.happen(statusChanges(1))
  await untilStatus(lab, webhookId, 'disabled')
  await untilReasons(lab, ['attempts_used_up', 'webhook_disabled'])
  status = 204
  await changeWebhook(lab, webhookId, { status: 'active' })
  const [first] = await lab.rows('select delivery_id from deliveries where is_event order by event_number')
  await redeliver(dependenciesOf(lab), lab.caller, first?.delivery_id as Id<'delivery'>)
  await untilReasons(lab, ['delivered', 'webhook_disabled'])
})

test('a redelivery that is requested while no worker runs, after the webhook was disabled and enabled, waits for its turn', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test:8443/' })
  const worker = lab.startWorker({ requireVerification: true, limits: { slots: 0 } })
  await lab.happen(statusChanges(1))
  await untilReasons(lab, ['turn'])
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await untilReasons(lab, ['webhook_disabled'])
  await worker.stop()
  await changeWebhook(lab, webhookId, { status: 'active' })
  const [only] = await lab.rows('select delivery_id from deliveries where is_event')
  await redeliver(dependenciesOf(lab), lab.caller, only?.delivery_id as Id<'delivery'>)
  assert.deepEqual(await reasons(lab), ['turn'])
})

test('the delivery of a challenge says whether a newer challenge or a change of URL replaced it', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test:8443/' })
  await sendVerification(dependenciesOf(lab), lab.caller, webhookId)
  await changeWebhook(lab, webhookId, { url: 'https://receiver.test:8444/' })
  assert.deepEqual(await reasons(lab, 'challenges'), ['challenge_replaced', 'challenge_replaced', 'turn'])
})
