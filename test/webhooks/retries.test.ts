import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyAttempt } from '../support/every-attempt.ts'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const finished = (lab: WebhookLab, status: string) =>
  lab.rows('select * from deliveries where event_id is not null and status = $1', [status])

const attempts = (lab: WebhookLab) =>
  lab.rows(
    `select a.* from ${everyAttempt} a join deliveries d using (delivery_id) where d.event_id is not null
     order by attempt_number`,
  )

/**
 * Waits until the first attempt has failed. Returns the seconds from its start to its retry. The test must have only
 * one event.
 */
async function retryAfterSeconds(lab: WebhookLab): Promise<number> {
  const [row] = await waitFor(
    'the first attempt has failed',
    () =>
      lab.rows(
        `select extract(epoch from d.next_attempt_at - a.started_at) as seconds
         from ${everyAttempt} a join deliveries d using (delivery_id) where d.event_id is not null`,
      ),
    (rows) => rows.length === 1,
  )
  return Number(row?.seconds)
}

test('a delivery that the receiver rejects is sent again under the same id until it is accepted', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => {
      response.statusCode = count < 3 ? 500 : 204
      response.end(count < 3 ? 'not now' : undefined)
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [0, 0] })
  await lab.happen(statusChanges(1))
  await waitFor('it is delivered', async () => (await finished(lab, 'delivered')).length === 1)
  assert.equal(receiver.events().length, 3)
  assert.equal(
    new Set(receiver.events().flatMap(({ message, headers }) => [message.id, headers['webhook-id']])).size,
    1,
  )
  assert.deepEqual(
    (await attempts(lab)).map((attempt) => [
      attempt.attempt_number,
      attempt.response_status,
      attempt.response_body,
      attempt.error,
    ]),
    [
      [1, 500, 'not now', 'The receiver responded with status 500 instead of 2xx.'],
      [2, 500, 'not now', 'The receiver responded with status 500 instead of 2xx.'],
      [3, 204, '', null],
    ],
  )
})

test('Retry-After can at most double the scheduled delay of a retry', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.writeHead(429, { 'retry-after': '36000' })
      response.end()
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [10_000] })
  await lab.happen(statusChanges(1))
  const seconds = await retryAfterSeconds(lab)
  assert(seconds >= 20_000 && seconds < 25_000, `${seconds} s`)
})

test('a webhook whose receiver responds with 410 is disabled, and its pending deliveries fail without being sent', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      response.statusCode = 410
      response.end()
    }),
  )
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
