import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBacklog } from '../../src/webhooks/delivery/backlog.store.ts'
import { sendVerification } from '../../src/webhooks/messages/send-test-event.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  changeWebhook,
  dependenciesOf,
  readWebhook,
  receivedReferences,
  untilDispatched,
  untilVerification,
  urlOf,
} from './life-cycle-fixture.ts'
import { echoChallenge, respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

test('after a change of URL, verification is pending until the new receiver echoes a new challenge', async (t) => {
  const lab = await openLab(t)
  const [old, next] = [await startReceiver(t), await startReceiver(t)]
  const { webhookId } = await lab.register({ url: urlOf(old) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  assert.equal((await changeWebhook(lab, webhookId, { url: urlOf(next) })).verification, 'pending')
  await untilVerification(lab, webhookId, 'verified')
  const challenges = [old, next].map(({ received }) => received.map(({ message }) => message.data.challenge))
  assert.deepEqual(
    challenges.map(({ length }) => length),
    [1, 1],
  )
  assert.notDeepEqual(challenges[0], challenges[1])
  await lab.happen(statusChanges(1))
  await waitFor('events go to the new URL', () => next.events().length === 1)
  assert.equal(old.events().length, 0)
})

test('an echo of the old challenge that arrives after the URL has changed does not verify the webhook', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const old = await startReceiver(t, (received, response, count) =>
    held.push(() => echoChallenge(received, response, count)),
  )
  const next = await startReceiver(t, (_received, response) => response.end('no echo'))
  const { webhookId } = await lab.register({ url: urlOf(old) })
  lab.startWorker({ retrySeconds: [3_600] })
  await waitFor('the challenge is being sent', () => held.length === 1)
  await changeWebhook(lab, webhookId, { url: urlOf(next) })
  for (const answer of held) answer()
  await waitFor(
    'the new receiver was sent a challenge',
    async () => (await lab.rows(`select from deliveries where status = 'pending' and attempt_count > 0`)).length === 1,
  )
  assert.equal((await readWebhook(lab, webhookId)).verification, 'pending')
  assert.equal((await lab.rows(`select from deliveries where status = 'failed' and attempt_count = 1`)).length, 1)
})

test('a 410 from the old receiver does not disable the webhook if the URL has changed in the meantime', async (t) => {
  const lab = await openLab(t)
  const held: (() => void)[] = []
  const old = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = 410
      held.push(() => response.end())
    }),
  )
  const next = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(old) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await lab.happen(statusChanges(1))
  await waitFor('the event is being sent', () => held.length === 1)
  await changeWebhook(lab, webhookId, { url: urlOf(next) })
  for (const answer of held) answer()
  await waitFor(
    'the attempt is recorded',
    async () => (await lab.rows(`select from deliveries where given_up_because = 'webhook_disabled'`)).length === 1,
  )
  assert.equal((await readWebhook(lab, webhookId)).status, 'active')
})

test('if verification is required, events wait after a change of URL and go to the new URL in order', async (t) => {
  const lab = await openLab(t)
  let willing = false
  const old = await startReceiver(t)
  const next = await startReceiver(t, (received, response, count) =>
    willing ? echoChallenge(received, response, count) : response.end(),
  )
  const { webhookId } = await lab.register({ url: urlOf(old) })
  lab.startWorker({ requireVerification: true, retrySeconds: [1, 1, 1, 1] })
  await untilVerification(lab, webhookId, 'verified')
  await changeWebhook(lab, webhookId, { url: urlOf(next) })
  const [one, other] = [statusChanges(3), statusChanges(3)]
  await lab.happen([...one, ...other])
  await waitFor('the challenge was sent again', () => next.received.length >= 2)
  assert.deepEqual(next.events(), [])
  willing = true
  await waitFor('the events follow', () => next.events().length === 6)
  for (const [{ data } = { data: { quoteId: '' } }] of [one, other]) {
    const own = next.events().filter(({ message }) => message.data.quoteId === data.quoteId)
    assert.deepEqual(
      own.map(({ message }) => message.data.reference),
      ['step 0', 'step 1', 'step 2'],
    )
  }
  assert.deepEqual(receivedReferences(old), [])
})

test('a URL that changes while the webhook is disabled is sent a challenge once the webhook is enabled', async (t) => {
  const lab = await openLab(t)
  const [old, next] = [await startReceiver(t), await startReceiver(t)]
  const { webhookId } = await lab.register({ url: urlOf(old) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  const moved = await changeWebhook(lab, webhookId, { url: urlOf(next) })
  assert.deepEqual([moved.status, moved.verification], ['disabled', 'pending'])
  assert.equal((await lab.rows('select from deliveries')).length, 1)
  assert.equal((await changeWebhook(lab, webhookId, { status: 'active' })).verification, 'pending')
  await untilVerification(lab, webhookId, 'verified')
  assert.equal(next.received.length, 1)
})

test('a failed verification that is sent again is pending until the receiver responds', async (t) => {
  const lab = await openLab(t)
  let willing = false
  const receiver = await startReceiver(t, (received, response, count) =>
    willing ? echoChallenge(received, response, count) : response.end(),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'failed')
  willing = true
  await sendVerification(dependenciesOf(lab), lab.caller, webhookId)
  await untilVerification(lab, webhookId, 'verified')

  willing = false
  const { messageId } = await sendVerification(dependenciesOf(lab), lab.caller, webhookId)
  await waitFor('it was tried', () => receiver.received.some(({ message }) => message.id === messageId))
  await waitFor(
    'and given up',
    async () =>
      (await lab.rows(`select from deliveries where message_id = $1 and status = 'failed'`, [messageId])).length,
  )
  assert.equal((await readWebhook(lab, webhookId)).verification, 'verified', 'the webhook is still verified')
})

const free = { requireVerification: false }

test('the backlog shows how long the oldest late event or delivery has been waiting', async (t) => {
  const lab = await openLab(t)
  const none = { undispatched: 0, queued: 0, active: 0, failing: 0, disabled: 0 }
  const nothing = { undispatchedSeconds: 0, overdueSeconds: 0, ...none }
  assert.deepEqual(await readBacklog(lab.db, free), nothing)
  const other = await lab.newPartner()
  await lab.register({ url: 'https://receiver.test:8443/' })
  await lab.happen(statusChanges(1))
  await lab.happen(statusChanges(1), other)
  await lab.rows(`update events set occurred_at = now() - interval '2 hours' where partner_id = $1`, [other.partnerId])
  const before = await readBacklog(lab.db, free)
  assert.deepEqual([before.undispatched, before.queued], [2, 1])
  assert.ok(before.undispatchedSeconds >= 7_200 && before.undispatchedSeconds < 10_800, `${before.undispatchedSeconds}`)

  const worker = lab.startWorker({ limits: { slots: 0 } })
  await untilDispatched(lab)
  await worker.stop()
  await lab.rows(`update delivery_queue set next_attempt_at = now() - interval '2 hours' where is_event`)
  const after = await readBacklog(lab.db, free)
  assert.deepEqual([after.undispatchedSeconds, after.undispatched, after.queued], [0, 0, 2])
  assert.ok(after.overdueSeconds >= 7_200 && after.overdueSeconds < 10_800, `${after.overdueSeconds}`)
  const held = await readBacklog(lab.db, { requireVerification: true })
  assert.ok(held.overdueSeconds < 3_600, 'a delivery that waits for verification is not late')
})

test('a delivery does not count as late while it is leased or waits for its retry, or while its webhook is failing or disabled', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test:8443/' })
  const worker = lab.startWorker({ limits: { slots: 0 } })
  await lab.happen(statusChanges(1))
  await untilDispatched(lab)
  await worker.stop()
  await lab.rows(`update delivery_queue set next_attempt_at = now() - interval '60 seconds'`)
  for (const [doing, undoing] of [
    [
      `update delivery_queue set lease_id = 'claim', leased_until = now() + interval '1 minute'`,
      'update delivery_queue set lease_id = null, leased_until = null',
    ],
    [
      `update delivery_queue set next_attempt_at = now() + interval '1 minute'`,
      `update delivery_queue set next_attempt_at = now() - interval '60 seconds'`,
    ],
    ['update webhooks set failing_since = now()', 'update webhooks set failing_since = null'],
    [`update webhooks set status = 'disabled'`, `update webhooks set status = 'active'`],
  ] as const) {
    await lab.rows(doing)
    assert.equal((await readBacklog(lab.db, free)).overdueSeconds, 0, doing)
    await lab.rows(undoing)
    assert.ok((await readBacklog(lab.db, free)).overdueSeconds >= 60, undoing)
  }
})

test('while the worker sends, it counts its attempts and deliveries and keeps reading the backlog', async (t) => {
  const lab = await openLab(t)
  let end: (() => void) | undefined
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      end = () => response.writeHead(500).end()
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  const worker = lab.startWorker({ limits: { backlogReadMs: 50 } })
  await lab.happen(statusChanges(1))
  await waitFor('the delivery is being sent', () => end !== undefined)
  assert.equal(worker.metrics().inFlight, 1)
  end?.()
  await waitFor('it has failed', () => worker.metrics().attempts.failed === 1)
  await waitFor('the webhook is failing', () => worker.metrics().backlog?.failing === 1)
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  await waitFor('it is disabled', () => worker.metrics().backlog?.disabled === 1)
  const { attempts, attemptSeconds, inFlight } = worker.metrics()
  assert.deepEqual([attempts, inFlight], [{ accepted: 1, unverified: 0, failed: 1, gone: 0 }, 0])
  assert.ok(attemptSeconds >= 0)
})
