import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createCancelledQuote, createQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
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

test('the 30 days that a replay can cover are real days even if the sandbox clock is ahead', async () => {
  const own = await connectNewPartner(service)
  succeeded(await own.post('/Sandbox/clock/advance', { seconds: 60 * day }))
  const webhookId = await register(own)
  succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(60) }))
})

test('a replay that ended 30 days ago is deleted when the next one starts', async () => {
  const own = await connectNewPartner(service)
  const webhookId = await register(own)
  const { replayId } = succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(60) }))
  const read = () => own.get(`/Replays/${replayId}`)
  await waitFor('the replay is completed', async () => succeeded(await read()).status === 'completed')
  await rawRows(service, `update replays set finished_at = now() - interval '31 days' where replay_id = $1`, [replayId])
  succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since: ago(60) }))
  rejected(await read(), 404, 'not_found')
})
