import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import type { DeliveryWithAttempts } from '../../src/webhooks/delivery/delivery.ts'
import { getDelivery } from '../../src/webhooks/history/read-deliveries.ts'
import { sendVerification } from '../../src/webhooks/messages/send-test-event.ts'
import { redeliver } from '../../src/webhooks/replay/redeliver.ts'
import { waitFor } from '../support/wait-for.ts'
import { changeWebhook, dependenciesOf, untilDispatched, untilStatus, urlOf } from './life-cycle-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

/** The deliveries of events, in the order of the events. */
async function waitForDeliveries(lab: WebhookLab): Promise<DeliveryWithAttempts[]> {
  const rows = await lab.rows('select delivery_id from deliveries where event_id is not null order by event_number')
  return Promise.all(
    rows.map(({ delivery_id }) => getDelivery(dependenciesOf(lab), lab.caller, delivery_id as Id<'delivery'>)),
  )
}

async function onlyDelivery(lab: WebhookLab): Promise<DeliveryWithAttempts> {
  const [delivery, ...others] = await waitForDeliveries(lab)
  assert(delivery !== undefined && others.length === 0)
  return delivery
}

test('redelivering a failed delivery starts the whole retry schedule again', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t, 500)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [0, 0] })
  await lab.happen(statusChanges(1))
  const failedAfter = (attempts: number) =>
    waitFor(`the delivery has failed after ${attempts}`, async () => {
      const [delivery] = await waitForDeliveries(lab)
      return delivery?.status === 'failed' && delivery.attemptCount === attempts
    })
  await failedAfter(3)
  await redeliver(dependenciesOf(lab), lab.caller, (await onlyDelivery(lab)).deliveryId)
  await failedAfter(6)
  assert.equal(new Set(receiver.events().map(({ message }) => message.id)).size, 1)
})

test('redelivering a delivery with a pending retry sends it immediately', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => response.writeHead(count === 1 ? 503 : 204).end()),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [3_600] })
  await lab.happen(statusChanges(1))
  await waitFor('the first attempt has failed', async () => (await waitForDeliveries(lab))[0]?.attemptCount === 1)
  const waiting = await onlyDelivery(lab)
  assert((waiting.nextAttemptAt?.getTime() ?? 0) > Date.now() + 600_000)
  assert.equal(waiting.lastAttempt?.responseStatus, 503)
  await redeliver(dependenciesOf(lab), lab.caller, waiting.deliveryId)
  await waitFor('it arrives', async () => (await onlyDelivery(lab)).status === 'delivered')
})

test('a redelivery requested during an attempt is sent only if that attempt fails', async (t) => {
  const lab = await openLab(t)
  let fail: (() => void) | undefined
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => {
      if (count === 1) fail = () => response.writeHead(500).end()
      else response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [] })
  const [first, second] = statusChanges(2)
  assert(first !== undefined && second !== undefined)
  await lab.happen([first, second])
  await waitFor('the delivery is being sent', () => receiver.events().length === 1)
  const [sending] = await waitForDeliveries(lab)
  assert(sending !== undefined)
  assert.equal(sending.nextAttemptAt, null)
  const asked = await redeliver(dependenciesOf(lab), lab.caller, sending.deliveryId)
  assert.equal(asked.status, 'pending')
  await lab.happen(statusChanges(1, 'quote_marker'))
  await waitFor('a later event arrives', () => receiver.events().length === 2)
  assert.equal(receiver.events()[1]?.message.data.quoteId, 'quote_marker')
  fail?.()
  await waitFor('all has arrived', async () =>
    (await waitForDeliveries(lab)).every(({ status }) => status === 'delivered'),
  )
  assert.deepEqual(
    receiver
      .events()
      .map(({ message }) => message.data.reference)
      .toSorted(),
    ['step 0', 'step 0', 'step 0', 'step 1'],
  )
})

test('a delivery whose redelivery is requested while it is being sent is not sent again if the receiver accepts it', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => held.push(() => response.end())),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await lab.happen(statusChanges(1, 'quote_1'))
  await waitFor('the delivery is being sent', () => held.length === 1)
  await redeliver(dependenciesOf(lab), lab.caller, (await onlyDelivery(lab)).deliveryId)
  held[0]?.()
  await waitFor('it has arrived', async () => (await onlyDelivery(lab)).status === 'delivered')
  await lab.happen(statusChanges(1, 'quote_marker'))
  await waitFor('a later event arrives', () => held.length === 2)
  assert.deepEqual(
    receiver.events().map(({ message }) => message.data.quoteId),
    ['quote_1', 'quote_marker'],
  )
  held[1]?.()
})

test('redelivering a delivery that waits for an earlier event does not change the order in which the events of its quote are sent', async (t) => {
  const lab = await openLab(t)
  let answerFirst: (() => void) | undefined
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => {
      if (count === 1) answerFirst = () => response.end()
      else response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await lab.happen(statusChanges(3, 'quote_1'))
  await waitFor('the first event is being sent', () => receiver.events().length === 1)
  await untilDispatched(lab)
  const [, , third] = await waitForDeliveries(lab)
  assert(third !== undefined)
  await redeliver(dependenciesOf(lab), lab.caller, third.deliveryId)
  await lab.happen(statusChanges(1, 'quote_marker'))
  await waitFor('a later event of another quote arrives', () => receiver.events().length === 2)
  answerFirst?.()
  await waitFor('all arrive', () => receiver.events().length === 4)
  assert.deepEqual(
    receiver.events().map(({ message }) => `${message.data.quoteId} ${message.data.reference}`),
    ['quote_1 step 0', 'quote_marker step 0', 'quote_1 step 1', 'quote_1 step 2'],
  )
})

test('redelivering a failed verification verifies the webhook if the receiver echoes the challenge', async (t) => {
  const lab = await openLab(t)
  let echoes = false
  const receiver = await startReceiver(t, ({ message }, response) =>
    response.end(echoes ? String(message.data.challenge) : 'what?'),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  const verification = async () => (await lab.rows('select verification from webhooks'))[0]?.verification
  await waitFor('it has failed', async () => (await verification()) === 'failed')
  echoes = true
  const [row] = await lab.rows('select delivery_id from deliveries')
  await redeliver(dependenciesOf(lab), lab.caller, row?.delivery_id as Id<'delivery'>)
  await waitFor('it is verified', async () => (await verification()) === 'verified')
})

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
