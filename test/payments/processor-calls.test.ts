import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { runForRequest } from '../../src/platform/kernel/request-context.ts'
import type { UpstreamLimits } from '../../src/platform/outbound/guard.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { json, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { inventTenant } from './payment-simulator-fixture.ts'

const intent = { id: 'seti_1', object: 'setup_intent', customer: 'cus_1', status: 'succeeded', client_secret: 'x' }
const well = json(JSON.stringify(intent))
const fault = (status: number, error: object) => json(JSON.stringify({ error }), status)
const down = fault(503, { type: 'api_error', message: 'down' })
const unknownId = fault(404, {
  type: 'invalid_request_error',
  code: 'resource_missing',
  param: 'intent',
  message: 'none',
})

const server = await startScriptedServer(well)
after(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  server.respondWith(well)
})

function connect(limits: Partial<UpstreamLimits> = {}, timeoutMs = 9_000) {
  const logged: { fields: object; message: string }[] = []
  const tell = (fields: object, message: string) => void logged.push({ fields, message })
  const upstream = createUpstream({
    name: 'payment-processor',
    baseUrl: server.baseUrl,
    limits: { deadlineMs: timeoutMs, ...limits },
    log: { warn: tell, info: tell },
  })
  const processor = createStripePaymentProcessor({ upstream, secretKey: 'sk_test_x', webhookSecret: 'whsec_x' })
  return { processor, upstream, logged, read: (id = 'seti_1') => processor.readSetupIntent(id) }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    () => 'final',
    (error: unknown) => error,
  )
  return outcome instanceof DomainError ? outcome.code : String(outcome)
}

test('the counters count each call and request; an expected error response is not a failure', async () => {
  const { upstream, read } = connect()
  await read()
  server.respondWith(unknownId)
  assert.equal(await codeOf(read()), 'not_found')
  const { calls, tries, failures, inFlight, breaker } = upstream.counters()
  assert.deepEqual([calls, tries, inFlight, breaker], [2, 2, 0, 'closed'])
  assert.ok(Object.values(failures).every((count) => count === 0))
})

for (const [kind, script] of [
  ['status', down],
  ['status', json('{"message":"a gateway"}', 502)],
  ['status', fault(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'slower' })],
  ['status', fault(401, { type: 'invalid_request_error', message: 'who?' })],
  ['status', fault(403, { type: 'invalid_request_error', message: 'who?' })],
  ['status', fault(409, { type: 'idempotency_error', message: 'in use' })],
  ['status', json('null', 500)],
  [
    'redirect',
    (_request: IncomingMessage, response: ServerResponse) => response.writeHead(302, { location: '/' }).end(),
  ],
  ['not-json', json('{')],
  ['unreachable', (request: IncomingMessage) => request.socket.destroy()],
  ['timeout', () => undefined],
] as const) {
  test(`a failure of the processor (${kind}) makes the call return 503 and is counted by kind`, async () => {
    const { upstream, read, logged } = connect({}, kind === 'timeout' ? 1_500 : undefined)
    server.respondWith((request, response) => void script(request, response))
    assert.equal(await codeOf(read()), 'service_unavailable')
    const { calls, failures } = upstream.counters()
    assert.deepEqual([calls, Object.entries(failures).filter(([, count]) => count > 0)], [1, [[kind, 1]]])
    assert.ok(logged.every(({ message }) => message.startsWith('payment-processor: ')))
    assert.doesNotMatch(JSON.stringify(logged), /sk_test|seti_1|who\?|slower/)
  })
}

test('a request that the processor rejects for a reason of ours returns 503 and counts as a failure but not as an outage', async () => {
  const { upstream, read } = connect({ failuresToOpen: 2 })
  const rejection = { type: 'invalid_request_error', code: 'parameter_unknown', param: 'usage', message: 'what?' }
  server.respondWith(json(JSON.stringify({ error: rejection }), 400, { 'request-id': 'req_1' }))
  for (let asked = 0; asked < 4; asked += 1) {
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    assert.ok(error instanceof DomainError && error.cause instanceof Error)
    assert.deepEqual([error.code, error.retryAfterSeconds], ['service_unavailable', 300])
    assert.match(error.message, /Report the requestId to the operator/)
    assert.match(error.cause.message, /status 400, code parameter_unknown, parameter usage, request req_1$/)
    assert.doesNotMatch(`${error.message} ${error.cause.message}`, /what\?/)
  }
  const { failures, breaker } = upstream.counters()
  assert.deepEqual([failures.status, breaker], [4, 'closed'])
})

test('after several failures in a row the processor is not called; errors say when to retry, and calls resume later', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { upstream, read } = connect({ failuresToOpen: 2, halfOpenAfterMs: 60_000 })
  server.respondWith(down)
  for (let asked = 0; asked < 2; asked += 1) assert.equal(await codeOf(read()), 'service_unavailable')
  assert.deepEqual([upstream.counters().breaker, upstream.counters().breakerOpenings], ['open', 1])
  server.requests.length = 0
  const leftAlone: unknown = await read().catch((error: unknown) => error)
  assert.ok(leftAlone instanceof DomainError && leftAlone.code === 'service_unavailable')
  assert.equal(leftAlone.retryAfterSeconds, 5)
  assert.equal(server.requests.length, 0)
  assert.equal(upstream.counters().failures['circuit-open'], 1)
  t.mock.timers.setTime(Date.now() + 61_000)
  server.respondWith(well)
  assert.equal((await read()).status, 'succeeded')
  assert.equal(upstream.counters().breaker, 'closed')
})

test('a call that waited for a slot carries the trace of its own request', async () => {
  const { read } = connect({ concurrency: 1 })
  const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
  const traceOf = (id: string) => ({ traceparent: `00-${id}-00f067aa0ba902b7-01`, tracestate: undefined })
  await Promise.all(ids.map((id) => runForRequest(traceOf(id), () => read(`seti_${id[0]}`))))
  const sent = server.requests.map(({ url, headers }) => [
    url?.split('?')[0]?.at(-1),
    String(headers.traceparent).split('-')[1]?.[0],
  ])
  assert.deepEqual(sent.sort(), [
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ])
})

for (const [what, list] of [
  ['no data', '{"object":"list"}'],
  ['an entry that is not an event', '{"object":"list","has_more":false,"data":[{"id":7}]}'],
  [
    'a collection without a timestamp',
    '{"object":"list","has_more":false,"data":[{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"customer":"cus_1"}}}]}',
  ],
] as const) {
  test(`a list of collections with ${what} is rejected as a whole, so that no collection is skipped`, async () => {
    const { processor, upstream } = connect()
    server.respondWith(json(list))
    assert.equal(await codeOf(processor.listCollections({ since: null })), 'service_unavailable')
    assert.equal(upstream.counters().failures['wrong-shape'], 1)
  })
}

test('a page yields our collections (newest first), the time of its newest entry (ours or not) and where the next one starts', async () => {
  const { processor } = connect()
  const event = (id: string, created: number, type: string, customer: string | null) => ({
    ...{ id, object: 'event', created, type },
    data: { object: { id: 'pi_1', customer, client_secret: 'hidden' } },
  })
  const data = [
    event('evt_3', 1_790_000_030, 'payment_intent.succeeded', null),
    event('evt_2', 1_790_000_020, 'payment_intent.payment_failed', 'cus_2'),
    event('evt_1', 1_790_000_010, 'payment_intent.succeeded', 'cus_1'),
  ]
  server.respondWith(json(JSON.stringify({ object: 'list', has_more: true, data })))
  const page = await processor.listCollections({
    since: new Date(1_790_000_000_500),
    until: new Date(1_790_000_100_000),
    olderThan: 'evt_4',
  })
  assert.deepEqual(
    page.notices.map(({ noticeId, outcome }) => [noticeId, outcome]),
    [
      ['evt_2', 'failed'],
      ['evt_1', 'paid'],
    ],
  )
  assert.deepEqual([page.newestAt, page.olderThan], [new Date(1_790_000_030_000), 'evt_1'])
  const asked = new URL(server.requests[0]?.url ?? '', server.baseUrl).searchParams
  assert.deepEqual(
    ['created[gte]', 'created[lt]', 'starting_after'].map((name) => asked.get(name)),
    ['1790000000', '1790000100', 'evt_4'],
  )
})

const anIntent = {
  ...{ processorCustomerId: 'cus_1', customerId: 'tenant_1', quoteId: 'quote_1', partnerId: 'partner_1' },
  idempotencyKey: 'k',
}

test('a call is retried with the same idempotency key if the processor did the work but dropped the connection', async () => {
  const { processor } = connect()
  server.respondWith((request, response) => {
    if (server.requests.length === 1) request.socket.destroy()
    else well(request, response)
  })
  assert.equal((await processor.createSetupIntent(anIntent)).setupIntentId, 'seti_1')
  assert.deepEqual(
    server.requests.map(({ headers }) => headers['idempotency-key']),
    ['k', 'k'],
  )
})

test('a call that needs two requests has one time limit for both', async (t) => {
  const { processor } = connect({}, 6_000)
  const unexpected = fault(400, { type: 'invalid_request_error', code: 'setup_intent_unexpected_state' })
  server.respondWith((request, response) => {
    if (request.method === 'POST') setTimeout(() => unexpected(request, response), 500)
  })
  // Only the call's own timers count: other tests and services use this process at the same time.
  const isOwn = new AsyncLocalStorage<true>()
  const lengths: number[] = []
  const { setTimeout: start } = globalThis
  t.mock.method(globalThis, 'setTimeout', ((callback: () => void, ms = 0, ...rest: []) => {
    if (isOwn.getStore()) lengths.push(ms)
    return start(callback, ms, ...rest)
  }) as typeof setTimeout)
  assert.equal(await isOwn.run(true, () => codeOf(processor.cancelSetupIntent('seti_1'))), 'service_unavailable')
  assert.deepEqual(
    server.requests.map(({ method }) => method),
    ['POST', 'GET', 'GET'],
    'the second request was sent, and was attempted twice',
  )
  // Each attempt gets half of the remaining time, less the pause between attempts, so the second request's attempts
  // get less.
  const [first = 0, ...further] = lengths.filter((ms) => ms > 1_200 && ms <= 2_750)
  assert.equal(further.length, 2, lengths.join())
  for (const ms of further) assert.ok(ms <= first - 240, lengths.join())
})

test('service_unavailable is reported if the processor knows the idempotency key but cannot find the customer yet', async () => {
  const nobody = json('{"object":"search_result","data":[],"has_more":false}')
  const known = fault(400, { type: 'idempotency_error' })
  server.respondWith((request, response) => (request.method === 'GET' ? nobody : known)(request, response))
  const { owners, person, key } = inventTenant()
  const creating = connect().processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
  assert.equal(await codeOf(creating), 'service_unavailable')
  assert.deepEqual(
    server.requests.map(({ method, url }) => `${method} ${url?.split('?', 1)[0]}`),
    ['POST /v1/customers', 'GET /v1/customers/search'],
  )
})
