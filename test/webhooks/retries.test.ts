import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const finished = (lab: WebhookLab, status: string) =>
  lab.rows('select * from deliveries where event_id is not null and status = $1', [status])

test('a webhook whose receiver responds with 410 is disabled, and its pending deliveries fail without being sent', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t, 410)
  const { webhookId } = await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.happen(statusChanges(5))
  lab.startWorker({ retrySeconds: [0, 0] })
  await waitFor('everything has ended', async () => (await finished(lab, 'failed')).length === 5)
  assert.equal(receiver.events().length, 1)
  const [webhook] = await lab.rows('select * from webhooks where webhook_id = $1', [webhookId])
  assert.deepEqual([webhook?.status, webhook?.disabled_reason], ['disabled', 'The receiver responded with 410 Gone.'])
  const said = lab.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a webhook was disabled')
  assert.deepEqual(
    said.map(({ webhookId, reason }) => ({ webhookId, reason })),
    [{ webhookId, reason: 'The receiver responded with 410 Gone.' }],
    'the log says once that the webhook was disabled, with its id and the reason',
  )

  await lab.happen(statusChanges(1))
  await waitFor(
    'the later event is dispatched',
    async () => (await lab.rows('select from events where dispatched_at is null')).length === 0,
  )
  assert.equal((await lab.rows('select from deliveries where event_id is not null')).length, 5)
})

test('one successful attempt ends a run of failures', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.rows(`update webhooks set failing_since = now() - interval '4 days', last_failed_at = now()`)
  lab.startWorker()
  await lab.happen(statusChanges(1))
  await waitFor('it is delivered', async () => (await finished(lab, 'delivered')).length === 1)
  assert.deepEqual(await lab.rows('select failing_since, last_failed_at from webhooks'), [
    { failing_since: null, last_failed_at: null },
  ])
})
