import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBacklog } from '../../src/webhooks/delivery/backlog.store.ts'
import { waitFor } from '../support/wait-for.ts'
import { changeWebhook, untilDispatched, urlOf } from './life-cycle-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

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
