import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createCancelledQuote, createQuote } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
const partner = await connectPartner(service.baseUrl, service.credentials)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
const day = 86_400

const register = async (own: Partner, port = 9) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events: ['quote.status.changed'] }))
    .webhookId

test('a replay sends failed and missed events in order per quote, with their original webhook-ids', async (t) => {
  const own = await connectNewPartner(service)
  let broken = true
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(broken ? 500 : 200).end()),
  )
  const webhookId = await register(own, receiver.port)
  const since = ago(60)
  const { quoteId } = await createCancelledQuote(own)
  await waitForDeliveries(
    own,
    webhookId,
    (found) => found.length === 5 && found.filter(({ status }) => status === 'failed').length === 4,
  )
  succeeded(await own.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const missed = await createQuote(own, { packages: ['gas'] })
  await eventsOf(own, 6)
  broken = false
  receiver.received.length = 0
  succeeded(await own.patch(`/Webhooks/${webhookId}`, { status: 'active' }))

  const { replayId, createdAt, until, ...answer } = succeeded(
    await own.post(`/Webhooks/${webhookId}/replay`, { since }),
  )
  assert.deepEqual(answer, {
    webhookId,
    status: 'running',
    since,
    redelivered: 0,
    missed: 0,
    finishedAt: null,
  })
  assert.ok(Math.abs(Date.parse(until) - Date.now()) < 60_000)
  const ended = await waitFor(
    'the replay has ended',
    async () => succeeded(await own.get(`/Replays/${replayId}`)),
    ({ status }) => status !== 'running',
  )
  const { finishedAt, ...counts } = ended
  assert.deepEqual(counts, {
    replayId,
    webhookId,
    status: 'completed',
    since,
    until,
    redelivered: 4,
    missed: 2,
    createdAt,
  })
  assert.ok(finishedAt && finishedAt >= createdAt)
  await waitFor(
    'six events arrive',
    async () => receiver.events(),
    (events) => events.length === 6,
  )
  const statuses = (of: string) =>
    receiver
      .events()
      .filter(({ message }) => message.data.quoteId === of)
      .map(({ message }) => message.data.status)
  assert.deepEqual(statuses(quoteId), ['draft', 'PackagesSelected', 'TenantsAdded', 'cancelled'])
  assert.deepEqual(statuses(missed.quoteId), ['draft', 'PackagesSelected'])
  const known = new Set((await eventsOf(own, 6)).map(({ id }) => id))
  for (const { headers } of receiver.events()) assert.ok(known.has(String(headers['webhook-id'])))
})

test('a replay with no `since`, or no body at all, sends everything that failed, including the event whose failure disabled the webhook', async (t) => {
  const own = await connectNewPartner(service)
  let isGone = true
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(isGone ? 410 : 204).end()),
  )
  const webhookId = await register(own, receiver.port)
  await createQuote(own, { packages: ['gas'] })
  const failed = await waitFor(
    'both deliveries have failed',
    async () => succeeded(await own.get(`/Webhooks/${webhookId}/deliveries`)).data,
    (found) => found.filter(({ status }) => status === 'failed').length >= 2,
  )
  isGone = false
  receiver.received.length = 0
  succeeded(await own.patch(`/Webhooks/${webhookId}`, { status: 'active' }))
  const { since, until } = succeeded(await own.post(`/Webhooks/${webhookId}/replay`))
  assert.equal(Date.parse(until) - Date.parse(since), 30 * day * 1_000)
  await waitFor(
    'the missed events arrive',
    async () => receiver.events(),
    (events) => events.length === 2,
  )
  assert.deepEqual(
    receiver.events().map(({ headers }) => headers['webhook-id']),
    failed
      .filter(({ quoteId }) => quoteId !== null)
      .map(({ messageId }) => messageId)
      .reverse(),
  )
})

test('requesting a replay again while it runs returns the same replay and, with an Idempotency-Key, the same bytes', async () => {
  const own = await connectNewPartner(service)
  const webhookId = await register(own)
  // Insert so many pending deliveries that no replay can make progress.
  await rawRows(
    service,
    `with waiting as (
       insert into events (event_id, partner_id, quote_id, type, data, dispatched_at)
       select 'event_waiting_' || n, partner_id, 'quote_waiting', 'quote.status.changed', '{}', now()
       from webhooks cross join generate_series(1, 1000) n where webhook_id = $1
       returning *
     )
     insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
       event_number,
       next_attempt_at)
     select 'delivery_' || event_id, partner_id, $1, event_id, event_id, type, quote_id, event_number,
       now() + interval '1 day'
     from waiting`,
    [webhookId],
  )
  const options = { headers: { 'Idempotency-Key': 'replay-1' } }
  const body = { since: ago(3_600) }
  const first = await own.post(`/Webhooks/${webhookId}/replay`, body, options)
  const { replayId, until } = succeeded(first)
  assert.equal((await own.post(`/Webhooks/${webhookId}/replay`, body, options)).text, first.text)
  const again = succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(1_800) }))
  assert.deepEqual([again.replayId, again.until, again.status], [replayId, until, 'running'])
  const wider = succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(7_200), until: ago(3_500) }))
  assert.equal(wider.replayId, replayId)
  assert.ok(wider.since < body.since && wider.until === until)
})

test('a `since` of more than 30 days ago returns 422, and the error says how long payloads are kept', async () => {
  const webhookId = await register(partner)
  const problem = rejected(
    await partner.post(`/Webhooks/${webhookId}/replay`, { since: ago(30 * day + 60) }),
    422,
    'validation_failed',
  )
  assert.deepEqual(invalidFields(problem), [['/since', 'out_of_range']])
  assert.match(problem.detail, /at most 30 days ago/)
  succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since: ago(30 * day - 60) }))
})

test('an empty range or an invalid time is rejected', async () => {
  const webhookId = await register(partner)
  const bad = (body: unknown) => partner.post(`/Webhooks/${webhookId}/replay`, body)
  assert.deepEqual(invalidFields(rejected(await bad({ since: ago(-60) }), 422, 'validation_failed')), [
    ['/since', 'out_of_range'],
  ])
  const backwards = { since: ago(60), until: ago(120) }
  assert.deepEqual(invalidFields(rejected(await bad(backwards), 422, 'validation_failed')), [
    ['/until', 'out_of_range'],
  ])
  const both = { since: ago(31 * day), until: ago(32 * day) }
  assert.deepEqual(invalidFields(rejected(await bad(both), 422, 'validation_failed')), [
    ['/since', 'out_of_range'],
    ['/until', 'out_of_range'],
  ])
  const zoneless = { since: '2026-12-01T09:00:00', until: 'now' }
  assert.deepEqual(invalidFields(rejected(await bad(zoneless), 422, 'validation_failed')), [
    ['/since', 'wrong_format'],
    ['/until', 'wrong_format'],
  ])
  assert.deepEqual(invalidFields(rejected(await bad({ from: ago(60) }), 400, 'invalid_request')), [
    ['/from', 'unknown_field'],
  ])
})

test('a value of `until` in the future is replaced by the current time', async () => {
  const webhookId = await register(partner)
  const { until } = succeeded(
    await partner.post(`/Webhooks/${webhookId}/replay`, { since: ago(60), until: ago(-3_600) }),
  )
  assert.ok(Date.parse(until) <= Date.now() + 1_000)
})

test('the 30 days that a replay can cover are real days even if the sandbox clock is ahead', async () => {
  const own = await connectNewPartner(service)
  succeeded(await own.post('/Sandbox/clock/advance', { seconds: 60 * day }))
  const webhookId = await register(own)
  succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(60) }))
})

test('a replay to a disabled webhook returns 422 and says how to enable the webhook', async () => {
  const webhookId = await register(partner)
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const { detail } = rejected(
    await partner.post(`/Webhooks/${webhookId}/replay`, { since: ago(60) }),
    422,
    'webhook_disabled',
  )
  assert.match(detail, /disabled.*PATCH/)
})
