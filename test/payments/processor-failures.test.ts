import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, test } from 'node:test'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { inventTenant, secretKey, startServer, webhookSecret } from './payment-simulator-fixture.ts'

describe('a payment processor that fails', { concurrency: true }, () => {
  const anIntent = {
    processorCustomerId: 'cus_1',
    customerId: 'tenant_1',
    quoteId: 'quote_1',
    partnerId: 'partner_1',
    idempotencyKey: 'k',
  }
  const unavailable = (error: unknown) => {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'service_unavailable')
    assert.ok((error.retryAfterSeconds ?? 0) > 0)
    const shown = `${error.message} ${error.cause instanceof Error ? `${error.cause.message} ${JSON.stringify(error.cause)}` : ''}`
    assert.ok(!/sk_test|secret|hidden/.test(shown), shown)
    return true
  }
  const processorAt = (apiBase: URL, timeoutMs = 9_000) =>
    createStripePaymentProcessor({
      upstream: createUpstream({ name: 'payment-processor', baseUrl: apiBase.href, limits: { deadlineMs: timeoutMs } }),
      secretKey,
      webhookSecret,
    })

  test('a rejected connection is reported as service_unavailable', async (t) => {
    const apiBase = await startServer(t, () => assert.fail('this server must not be called'))
    const nobody = new URL(apiBase)
    nobody.port = '9'
    await assert.rejects(processorAt(nobody).createSetupIntent(anIntent), unavailable)
  })

  for (const [what, begin] of [
    ['never responds', () => undefined],
    ['responds byte by byte without end', (write: (byte: string) => void) => setInterval(() => write(' '), 20).unref()],
  ] as const) {
    test(`a processor that ${what} is reported as service_unavailable at the time limit`, async (t) => {
      const apiBase = await startServer(t, (_request, response) => {
        const timer = begin((byte) => response.write(byte))
        response.on('close', () => clearInterval(timer))
      })
      await assert.rejects(processorAt(apiBase, 1_100).readSetupIntent('seti_1'), unavailable)
    })
  }

  for (const [what, status, body] of [
    ['an internal error', 500, '{"error":{"type":"api_error","message":"hidden"}}'],
    ['an HTML page', 502, '<h1>hidden</h1>'],
    ['a JSON error from a gateway', 502, '{"message":"hidden"}'],
    ['a JSON error that is not an object', 500, 'null'],
    ['a JSON 403 from a gateway', 403, '{"message":"hidden"}'],
    [
      "a gateway's rate limit in the processor's error format",
      429,
      '{"error":{"type":"invalid_request_error","code":"rate_limit","message":"hidden"}}',
    ],
    ['an invalid API key', 401, '{"error":{"type":"invalid_request_error","message":"Invalid API Key hidden"}}'],
    [
      "a gateway's 403 in the processor's error format",
      403,
      '{"error":{"type":"invalid_request_error","message":"hidden"}}',
    ],
    ['an idempotency key still in use', 409, '{"error":{"type":"idempotency_error","message":"hidden"}}'],
  ] as const) {
    test(`a response with ${what} is reported as service_unavailable`, async (t) => {
      const apiBase = await startServer(t, (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      })
      await assert.rejects(processorAt(apiBase).createSetupIntent(anIntent), unavailable)
    })
  }

  test("what the processor rejects is logged with its code, parameter and request id, and without the processor's message", async (t) => {
    const apiBase = await startServer(t, (_request, response) => {
      const error = { type: 'invalid_request_error', code: 'account_invalid', param: 'usage', message: 'hidden' }
      response.writeHead(400, { 'content-type': 'application/json', 'request-id': 'req_123' })
      response.end(JSON.stringify({ error }))
    })
    await assert.rejects(processorAt(apiBase).createSetupIntent(anIntent), (error: unknown) => {
      assert.ok(unavailable(error) && error instanceof DomainError && error.cause instanceof Error)
      assert.match(error.cause.message, /status 400, code account_invalid, parameter usage, request req_123$/)
      assert.match(error.message, /Report the requestId to the operator/)
      return true
    })
  })

  test('a call is retried with the same idempotency key if the processor did the work but dropped the connection', async (t) => {
    const keys: unknown[] = []
    const apiBase = await startServer(t, (request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (keys.length === 1) {
        request.socket.destroy()
        return
      }
      const intent = {
        id: 'seti_1',
        object: 'setup_intent',
        customer: 'cus_1',
        status: 'requires_payment_method',
        client_secret: 'x',
        last_setup_error: null,
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(intent))
    })
    assert.equal((await processorAt(apiBase).createSetupIntent(anIntent)).setupIntentId, 'seti_1')
    assert.deepEqual(keys, ['k', 'k'])
  })

  test('a call that needs two requests has one time limit for both', async (t) => {
    const asked: unknown[] = []
    const apiBase = await startServer(t, (request, response) => {
      asked.push(request.method)
      if (request.method !== 'POST') return
      const error = { type: 'invalid_request_error', code: 'setup_intent_unexpected_state', message: 'hidden' }
      setTimeout(
        () => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
        500,
      )
    })
    // Only the call's own timers count: other tests and services use this process at the same time.
    const isOwn = new AsyncLocalStorage<true>()
    const lengths: number[] = []
    const { setTimeout: start } = globalThis
    t.mock.method(globalThis, 'setTimeout', ((callback: () => void, ms = 0, ...rest: []) => {
      if (isOwn.getStore()) lengths.push(ms)
      return start(callback, ms, ...rest)
    }) as typeof setTimeout)
    await isOwn.run(true, () => assert.rejects(processorAt(apiBase, 6_000).cancelSetupIntent('seti_1'), unavailable))
    assert.deepEqual(asked, ['POST', 'GET', 'GET'], 'the second request was sent, and was attempted twice')
    // Each attempt gets half of the remaining time, less the pause between attempts, so the second request's attempts
    // get less.
    const [first = 0, ...further] = lengths.filter((ms) => ms > 1_200 && ms <= 2_750)
    assert.equal(further.length, 2, lengths.join())
    for (const ms of further) assert.ok(ms <= first - 240, lengths.join())
  })

  test('service_unavailable is reported if the processor knows the idempotency key but cannot find the customer yet', async (t) => {
    const asked: unknown[] = []
    const apiBase = await startServer(t, (request, response) => {
      asked.push(`${request.method} ${request.url?.split('?', 1)[0]}`)
      const found = request.method === 'GET'
      const body = found
        ? { object: 'search_result', data: [], has_more: false }
        : { error: { type: 'idempotency_error', message: 'hidden' } }
      response.writeHead(found ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const { owners, person, key } = inventTenant()
    await assert.rejects(
      processorAt(apiBase).createCustomer({ ...owners, ...person, idempotencyKey: key }),
      unavailable,
    )
    assert.deepEqual(asked, ['POST /v1/customers', 'GET /v1/customers/search'])
  })

  test('a redirect is not followed', async (t) => {
    const elsewhere = await startServer(t, () => assert.fail('a redirect was followed'))
    const apiBase = await startServer(t, (_request, response) => {
      response.writeHead(307, { location: elsewhere.href }).end()
    })
    await assert.rejects(processorAt(apiBase).createSetupIntent(anIntent), unavailable)
  })
})
