import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { getReplay, replayWebhook } from '../../src/webhooks/replay/replay-webhook.ts'
import { waitFor } from '../support/wait-for.ts'
import { changeWebhook, dependenciesOf, untilDispatched, urlOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { startSendingProcess } from './sending-process-fixture.ts'
import { openLab, recordMarked, statusChanges, type WebhookLab } from './webhook-fixture.ts'

/** More events than may be pending at once, so that the replay is still running when the first of them arrive. */
const quotes = 260
const steps = 5

/** A webhook that was disabled while the events happened and is active now. */
async function missedAll(t: TestContext, lab: WebhookLab) {
  const receiver = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  const worker = lab.startWorker()
  const events = Array.from({ length: quotes }, () => statusChanges(steps, newId('quote'))).flat()
  await inTransaction(dependenciesOf(lab).db, {}, (tx) => recordMarked(tx, lab.caller, events))
  await untilDispatched(lab)
  await worker.stop()
  await changeWebhook(lab, webhookId, { status: 'active' })
  return { receiver, webhookId }
}

test('if processes are killed again and again during a replay, others complete it and keep the order within each quote', async (t) => {
  const lab = await openLab(t)
  const { receiver, webhookId } = await missedAll(t, lab)
  const since = new Date(Date.now() - 3_600_000)
  const { replayId } = await replayWebhook(dependenciesOf(lab), lab.caller, webhookId, { since, until: undefined })
  for (const killAfter of [1, 60]) {
    const child = await startSendingProcess(t, lab, 1)
    await waitFor('some arrive', () => receiver.events().length >= killAfter)
    await child.kill()
    const { status, missed } = await getReplay(dependenciesOf(lab), lab.caller, replayId)
    assert.equal(status, 'running', `killed in the middle, after ${missed}`)
  }
  lab.startWorker({ limits: { leaseSeconds: 1 } })
  await waitFor(
    'it is completed',
    async () => (await getReplay(dependenciesOf(lab), lab.caller, replayId)).status === 'completed',
  )
  const waiting = () => lab.rows(`select from deliveries where event_id is not null and status = 'pending' limit 1`)
  await waitFor('all is delivered', async () => (await waiting()).length === 0)

  assert.equal((await getReplay(dependenciesOf(lab), lab.caller, replayId)).missed, quotes * steps)
  const recorded = await lab.rows('select event_id from events')
  assert.deepEqual(
    new Set(receiver.events().map(({ message }) => message.id)),
    new Set(recorded.map(({ event_id }) => event_id)),
  )
  const firsts = new Map<unknown, Set<unknown>>()
  for (const { message } of receiver.events()) {
    const { quoteId, reference } = message.data
    firsts.set(quoteId, (firsts.get(quoteId) ?? new Set()).add(reference))
  }
  for (const order of firsts.values()) assert.deepEqual([...order], ['step 0', 'step 1', 'step 2', 'step 3', 'step 4'])
})
