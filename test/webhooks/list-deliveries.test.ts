import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { listAll, waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
const partner = await connectPartner(service.baseUrl, service.credentials)
const everyEvent = ['quote.status.changed', 'customer.payment.updated', 'customer.status.changed']

const register = async (own: Partner, port = 9) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events: everyEvent }))

test('deliveries are listed newest first, each with its message and the result of its last attempt', async (t) => {
  const own = await connectNewPartner(service)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) =>
      count === 1 ? response.end('thanks') : response.writeHead(500).end('no'),
    ),
  )
  const { webhookId } = await register(own, receiver.port)
  const first = await createQuote(own)
  await waitForDeliveries(
    own,
    webhookId,
    (found) => found.length === 2 && found.every(({ status }) => status === 'delivered'),
  )
  const second = await createQuote(own)
  const [newest, middle, oldest] = await waitForDeliveries(own, webhookId, ([latest]) => latest?.status === 'failed')

  assert.ok(newest)
  const { deliveryId, messageId, createdAt, finishedAt, lastAttempt, ...rest } = newest
  assert.deepEqual(rest, {
    webhookId,
    eventType: 'quote.status.changed',
    quoteId: second.quoteId,
    status: 'failed',
    attemptCount: 2,
    nextAttemptAt: null,
    waitingFor: null,
    givenUpBecause: 'attempts_used_up',
  })
  assert.match(deliveryId, /^delivery_/)
  assert.equal(messageId, receiver.events().at(-1)?.message.id)
  assert.ok(lastAttempt && finishedAt && createdAt <= lastAttempt.startedAt && lastAttempt.startedAt <= finishedAt)
  assert.deepEqual([lastAttempt.responseStatus, /status 500/.test(lastAttempt.error ?? '')], [500, true])
  assert.deepEqual([middle?.quoteId, middle?.status, middle?.lastAttempt?.error], [first.quoteId, 'delivered', null])
  assert.deepEqual([oldest?.eventType, oldest?.quoteId], ['webhook.verification', null])
})

test('the list of deliveries is empty if none match; a pending delivery shows its next attempt', async () => {
  const own = await connectNewPartner(service)
  const { webhookId } = await register(own)
  const path = `/Webhooks/${webhookId}/deliveries` as const
  assert.deepEqual(succeeded(await own.get(`${path}?status=delivered`)), { data: [], nextCursor: null })
  const [waiting] = await waitForDeliveries(
    own,
    webhookId,
    ([only]) => only?.status === 'pending' && only.attemptCount === 1,
  )
  assert.ok(Math.abs(Date.parse(waiting?.nextAttemptAt ?? '') - Date.now()) < 60_000)
  assert.deepEqual([waiting?.finishedAt, waiting?.lastAttempt?.responseStatus], [null, null])
})

/** Inserts twelve deliveries, an hour apart, six for each of two event types. The newest is an hour old. */
async function withHistory(
  own: Partner,
): Promise<{ webhookId: string; ids: string[]; hoursAgo(hours: number): string }> {
  const { webhookId } = await register(own)
  await waitForDeliveries(own, webhookId, ([only]) => only?.status === 'failed')
  await rawRows(
    service,
    `insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_type, own_body, status,
     created_at)
     select 'delivery_' || lpad(to_char(n, 'FM00'), 26, right(webhook_id, 10)), partner_id, webhook_id, 'event_' || n,
       (array['quote.status.changed', 'customer.status.changed'])[n % 2 + 1],
       '{}', (array['delivered', 'failed', 'delivered'])[n % 3 + 1], now() - n * interval '1 hour'
     from webhooks cross join generate_series(1, 12) n where webhook_id = $1`,
    [webhookId],
  )
  const ids = (await listAll(own, `/Webhooks/${webhookId}/deliveries`)).slice(1).map(({ deliveryId }) => deliveryId)
  assert.equal(ids.length, 12)
  return { webhookId, ids, hoursAgo: (hours) => new Date(Date.now() - hours * 3_600_000).toISOString() }
}

test('deliveries can be filtered by type, status and time, separately and combined', async () => {
  const own = await connectNewPartner(service)
  const { webhookId, ids, hoursAgo } = await withHistory(own)
  const found = async (query: Record<string, string>) =>
    (await listAll(own, `/Webhooks/${webhookId}/deliveries`, query)).map(
      ({ deliveryId }) => ids.indexOf(deliveryId) + 1,
    )
  // Odd-numbered deliveries carry customer events. Deliveries 1, 4, 7 and 10 have failed, and so has number 0, the
  // verification.
  assert.deepEqual(await found({ eventType: 'customer.status.changed' }), [1, 3, 5, 7, 9, 11])
  assert.deepEqual(await found({ eventType: 'webhook.verification' }), [0])
  assert.deepEqual(await found({ eventType: 'customer.payment.updated' }), [])
  assert.deepEqual(await found({ status: 'failed' }), [0, 1, 4, 7, 10])
  assert.deepEqual(await found({ status: 'failed', eventType: 'quote.status.changed' }), [4, 10])
  assert.deepEqual(await found({ createdAfter: hoursAgo(3.5) }), [0, 1, 2, 3])
  assert.deepEqual(await found({ createdBefore: hoursAgo(9.5) }), [10, 11, 12])
  assert.deepEqual(await found({ createdAfter: hoursAgo(8.5), createdBefore: hoursAgo(5.5) }), [6, 7, 8])
  assert.deepEqual(await found({ createdAfter: hoursAgo(8.5), createdBefore: hoursAgo(3.5), status: 'failed' }), [4, 7])
  const [boundary] = (await listAll(own, `/Webhooks/${webhookId}/deliveries`)).slice(5)
  assert.ok(boundary)
  assert.deepEqual((await found({ createdAfter: boundary.createdAt })).at(-1), 5, 'createdAfter is inclusive')
  assert.deepEqual((await found({ createdBefore: boundary.createdAt }))[0], 6, 'createdBefore is exclusive')
})

test('pages read by cursor with a filter have no gaps or repetitions while deliveries are added', async () => {
  const own = await connectNewPartner(service)
  const { webhookId, ids } = await withHistory(own)
  const path = `/Webhooks/${webhookId}/deliveries` as const
  for (const limit of [1, 2, 5, 12, 13]) {
    const all = await listAll(own, path, { limit: String(limit) })
    assert.deepEqual(
      all.slice(1).map(({ deliveryId }) => deliveryId),
      ids,
    )
  }
  const first = succeeded(await own.get(`${path}?status=delivered&limit=3`))
  await rawRows(service, `update delivery_history set created_at = now() where delivery_id = $1`, [ids[11]])
  const second = succeeded(await own.get(`${path}?status=delivered&limit=3&cursor=${first.nextCursor}`))
  const third = succeeded(await own.get(`${path}?status=delivered&limit=3&cursor=${second.nextCursor}`))
  assert.equal(third.nextCursor, null)
  const seen = [first, second, third].flatMap(({ data }) => data.map(({ deliveryId }) => deliveryId))
  const delivered = [2, 3, 5, 6, 8, 9, 11].map((number) => ids[number - 1])
  assert.deepEqual(seen, delivered)
})

test('deliveries created in the same microsecond are neither lost nor repeated when they are split across pages', async () => {
  const own = await connectNewPartner(service)
  const { webhookId, ids } = await withHistory(own)
  await rawRows(
    service,
    `update delivery_history set created_at = '2026-01-01 00:00:00.123456Z' where webhook_id = $1`,
    [webhookId],
  )
  const seen = await listAll(own, `/Webhooks/${webhookId}/deliveries`, { limit: '2' })
  assert.equal(new Set(seen.map(({ deliveryId }) => deliveryId)).size, ids.length + 1)
  assert.equal(seen.length, ids.length + 1)
})

test('a cursor that is not from this list returns 422', async () => {
  const { webhookId } = await register(partner)
  for (const place of [
    'nonsense',
    'delivery_01h455vb4pex5vsknk084sn02q',
    `1'.delivery_01h455vb4pex5vsknk084sn02q`,
    'newest.4',
  ]) {
    const cursor = Buffer.from(place).toString('base64url')
    const problem = rejected(
      await partner.get(`/Webhooks/${webhookId}/deliveries?cursor=${cursor}`),
      422,
      'validation_failed',
    )
    assert.deepEqual(invalidFields(problem), [['/query/cursor', 'wrong_format']])
  }
})

test("a deleted webhook's list, and its deliveries, return 404", async () => {
  const own = await connectNewPartner(service)
  const { webhookId } = await register(own)
  const [delivery] = await waitForDeliveries(own, webhookId, (found) => found.length === 1)
  succeeded(await own.delete(`/Webhooks/${webhookId}`))
  rejected(await own.get(`/Webhooks/${webhookId}/deliveries`), 404, 'not_found')
  rejected(await own.get(`/Deliveries/${delivery?.deliveryId}`), 404, 'not_found')
  rejected(await own.post(`/Deliveries/${delivery?.deliveryId}/redeliver`), 404, 'not_found')
})

test('a delivery shows what was sent and received in each attempt, as the receiver saw it', async (t) => {
  const own = await connectNewPartner(service)
  const long = 'ü'.repeat(4_000)
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) =>
      count === 1 ? response.writeHead(503, { 'X-Reason': 'busy' }).end(long) : response.writeHead(201).end('thanks'),
    ),
  )
  const { webhookId, secret } = await register(own, receiver.port)
  const { quoteId } = await createQuote(own, { reference: 'ref-1' })
  const [newest] = await waitForDeliveries(
    own,
    webhookId,
    ([latest]) => latest?.quoteId === quoteId && latest.status === 'delivered',
  )

  assert.ok(newest)
  const { body, attempts, ...summary } = succeeded(await own.get(`/Deliveries/${newest.deliveryId}`))
  assert.deepEqual(summary, newest)
  const [first, second] = receiver.events()
  assert(first !== undefined && second !== undefined)
  assert.equal(body, first.body)
  assert.deepEqual([second.body, second.headers['webhook-id']], [first.body, newest.messageId])
  assert.equal(JSON.parse(body).id, newest.messageId)
  assert.deepEqual(
    attempts.map(({ attemptNumber, responseStatus, responseBody, error }) => [
      attemptNumber,
      responseStatus,
      responseBody,
      typeof error,
    ]),
    [
      [1, 503, long.slice(0, 2_048), 'string'],
      [2, 201, 'thanks', 'object'],
    ],
  )
  for (const [index, received] of [first, second].entries()) {
    const attempt = attempts[index]
    assert.ok(attempt)
    const { requestHeaders, startedAt, durationMs } = attempt
    for (const [name, value] of Object.entries(requestHeaders)) assert.equal(received?.headers[name], value, name)
    new Webhook(secret).verify(body, requestHeaders)
    assert.ok(durationMs >= 0 && durationMs < 10_000)
    assert.ok(Math.abs(Date.parse(startedAt) / 1_000 - Number(requestHeaders['webhook-timestamp'])) <= 1)
  }
  assert.equal(JSON.stringify(attempts).includes(secret.slice(6)), false, 'the signature is shown, the secret is not')
})

test('a delivery that reached no receiver explains why', async () => {
  const own = await connectNewPartner(service)
  const { webhookId } = await register(own, 9)
  const [failed] = await waitForDeliveries(own, webhookId, ([only]) => only?.status === 'failed')
  const { attempts } = succeeded(await own.get(`/Deliveries/${failed?.deliveryId}`))
  assert.equal(attempts.length, 2)
  for (const { responseStatus, responseBody, error } of attempts) {
    assert.deepEqual([responseStatus, responseBody], [null, null])
    assert.match(error ?? '', /connection/i)
  }
})

test('a delivery with more than 100 attempts shows the latest 100, oldest first', async () => {
  const own = await connectNewPartner(service)
  const { webhookId } = await register(own, 9)
  const [failed] = await waitForDeliveries(own, webhookId, ([only]) => only?.status === 'failed')
  await rawRows(
    service,
    `update delivery_history d set attempt_count = 148, attempts = (
       select array_agg((d.attempts[2]::jsonb || jsonb_build_object('attemptNumber', n, 'startedAt',
         now() - interval '1 day'))::json order by n) from generate_series(49, 148) n)
     where delivery_id = $1`,
    [failed?.deliveryId],
  )
  succeeded(await own.post(`/Deliveries/${failed?.deliveryId}/redeliver`))
  await waitForDeliveries(own, webhookId, ([only]) => only?.attemptCount === 150)
  const { attempts } = succeeded(await own.get(`/Deliveries/${failed?.deliveryId}`))
  const numbers = attempts.map(({ attemptNumber }) => attemptNumber)
  assert.deepEqual(
    numbers,
    Array.from({ length: 100 }, (_, index) => index + 51),
  )
})
