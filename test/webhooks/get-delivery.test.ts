import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })

const register = async (own: Partner, port: number) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events: ['quote.status.changed'] }))

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
