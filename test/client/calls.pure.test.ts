import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  ConnectionError,
  HousebillClient,
  isApiError,
  TokenRefusedError,
} from '../../clients/typescript/src/entry.ts'
import { parseRetryAfter } from '../../clients/typescript/src/retry.ts'
import { clientOfFake, problem } from './fake-server.ts'

const quote = () => Response.json({ quoteId: 'quote_1' })
const create = { addressUid: 'address_1' }

test('calls at the same time and later ones share one token', async () => {
  const { client, requests, tokenRequests } = clientOfFake(quote)
  await Promise.all([client.getQuote('quote_1'), client.getQuote('quote_2')])
  await client.getQuote('quote_3')
  assert.equal(tokenRequests.length, 1)
  assert.deepEqual(tokenRequests[0]?.body, { clientId: 'sb_1', clientSecret: 'secret' })
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.get('Authorization'))), new Set(['Bearer token-1']))
})

test('a rejected token is replaced once, and the call is sent again with the same key', async () => {
  const { client, requests, tokenRequests } = clientOfFake((_request, count) =>
    count === 1 ? problem('unauthenticated', 401) : quote(),
  )
  assert.equal((await client.createQuote(create)).quoteId, 'quote_1')
  assert.equal(tokenRequests.length, 2)
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('Authorization')),
    ['Bearer token-1', 'Bearer token-2'],
  )
  assert.equal(new Set(requests.map(({ headers }) => headers.get('Idempotency-Key'))).size, 1)
})

test('an error to test with is asked for once, so that the retry succeeds', async () => {
  const { client, requests } = clientOfFake((_request, count) =>
    count === 1 ? problem('internal_error', 500) : quote(),
  )
  await client.createQuote(create, { testError: 'internal_error; when=after' })
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('Housebill-Test-Error')),
    ['internal_error; when=after', null],
  )
})

test('a new token that is rejected too ends the call', async () => {
  const { client, requests } = clientOfFake(() => problem('unauthenticated', 401))
  await assert.rejects(client.getQuote('quote_1'), (error) => isApiError(error, 'unauthenticated'))
  assert.equal(requests.length, 2)
})

test('a token that has ended is replaced before the next call, and a function of your own can fetch it', async () => {
  let fetched = 0
  const fetchToken = async () => ({ accessToken: `own-${++fetched}`, expiresInSeconds: fetched === 1 ? 0 : 60 })
  const options = { fetchToken, clientId: undefined, clientSecret: undefined }
  const { client, requests, tokenRequests } = clientOfFake(quote, options)
  for (const quoteId of ['quote_1', 'quote_2', 'quote_3']) await client.getQuote(quoteId)
  assert.equal(tokenRequests.length, 0)
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('Authorization')),
    ['Bearer own-1', 'Bearer own-2', 'Bearer own-2'],
  )
})

for (const [name, failure] of [
  ['429', () => problem('rate_limited', 429)],
  ['500', () => problem('internal_error', 500)],
  ['503', () => problem('service_unavailable', 503)],
  ['409 idempotency_in_flight', () => problem('idempotency_in_flight', 409)],
  ['the error page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['a lost connection', () => new TypeError('fetch failed')],
] as const) {
  test(`${name} is retried with growing pauses, with the same idempotency key`, async () => {
    const { client, requests, pauses } = clientOfFake((_request, count) => (count < 4 ? failure() : quote()))
    assert.equal((await client.createQuote(create)).quoteId, 'quote_1')
    assert.equal(requests.length, 4)
    assert.equal(new Set(requests.map(({ headers }) => headers.get('Idempotency-Key'))).size, 1)
    assert.deepEqual(requests.at(-1)?.body, create)
    for (const [index, pause] of pauses.entries()) assert.ok(pause >= 0 && pause <= 500 * 2 ** index, String(pauses))
    assert.ok(new Set(pauses).size > 1, 'the pauses have jitter')
  })
}

test('after the last retry, the call fails with the last error', async () => {
  const { client, requests } = clientOfFake(() => problem('service_unavailable', 503), { retry: { maxRetries: 2 } })
  await assert.rejects(client.getQuote('quote_1'), (error) => isApiError(error, 'service_unavailable'))
  assert.equal(requests.length, 3)
})

test('what the server rejects for good is not retried, and the error says why', async () => {
  const { client, requests } = clientOfFake(() => problem('address_not_found', 422))
  const error = await client.createQuote(create).catch((caught: unknown) => caught)
  assert.ok(isApiError(error, 'quote_expired', 'address_not_found'))
  assert.ok(!isApiError(error, 'quote_expired'))
  const { code, status, detail, requestId, operationId, type, message } = error
  assert.deepEqual(
    [code, status, detail, requestId, operationId],
    ['address_not_found', 422, 'Why.', 'req-1', 'createQuote'],
  )
  assert.equal(type, 'https://bills.example/docs/errors/address_not_found')
  assert.equal(message, 'createQuote: address_not_found: Why. (req-1)')
  assert.equal(requests.length, 1)
})

test('Retry-After is the shortest pause, and a call that would wait too long fails at once', async () => {
  const short = clientOfFake((_request, count) =>
    count === 1 ? problem('rate_limited', 429, { 'Retry-After': '7' }) : quote(),
  )
  await short.client.getQuote('quote_1')
  const [pause = 0] = short.pauses
  assert.ok(pause >= 7_000 && pause <= 7_500, String(pause))

  const long = clientOfFake(() => problem('service_unavailable', 503, { 'Retry-After': '300' }))
  const error = await long.client.getQuote('quote_1').catch((caught: unknown) => caught)
  assert.ok(error instanceof ApiError)
  assert.equal(error.retryAfterSeconds, 300)
  assert.equal(long.requests.length, 1)
})

test('Retry-After can be a number of seconds or an HTTP date', () => {
  const now = Date.parse('2026-11-24T10:00:00Z')
  assert.equal(parseRetryAfter('120', now), 120)
  assert.equal(parseRetryAfter('Tue, 24 Nov 2026 10:00:30 GMT', now), 30)
  assert.equal(parseRetryAfter('Tue, 24 Nov 2026 09:00:00 GMT', now), 0)
  assert.equal(parseRetryAfter('soon', now), undefined)
  assert.equal(parseRetryAfter(null, now), undefined)
})

test('an attempt without a response in time fails with ConnectionError', async () => {
  const { client } = clientOfFake(quote, {
    retry: { maxRetries: 0 },
    timeoutMs: 1,
    fetchToken: async () => ({ accessToken: 'own', expiresInSeconds: 60 }),
    clientId: undefined,
    clientSecret: undefined,
    fetch: (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      }),
  })
  await assert.rejects(client.getQuote('quote_1'), (error) => {
    assert.ok(error instanceof ConnectionError)
    assert.match(error.message, /^getQuote: no response within 1 ms$/)
    return true
  })
})

test('the caller can end a call, also while it waits before a retry', async () => {
  const waiting = new AbortController()
  const { client, requests } = clientOfFake(() => problem('service_unavailable', 503), {
    pause: () => {
      waiting.abort(new Error('no longer needed'))
      return new Promise<void>(() => undefined)
    },
  })
  await assert.rejects(client.getQuote('quote_1', {}, { signal: waiting.signal }), { message: 'no longer needed' })
  assert.equal(requests.length, 1)
})

test('the caller can end a call while it waits for a token, and before it begins', async () => {
  const never = new Promise<never>(() => undefined)
  const { client, requests } = clientOfFake(quote, {
    fetchToken: () => never,
    clientId: undefined,
    clientSecret: undefined,
  })
  const waiting = new AbortController()
  const call = client.getQuote('quote_1', {}, { signal: waiting.signal })
  waiting.abort(new Error('no longer needed'))
  await assert.rejects(call, { message: 'no longer needed' })
  await assert.rejects(client.getQuote('quote_1', {}, { signal: waiting.signal }), { message: 'no longer needed' })
  assert.equal(requests.length, 0)
})

test('the caller can choose the idempotency key', async () => {
  const { client, requests } = clientOfFake(quote)
  await client.createQuote(create, { idempotencyKey: 'order-42' })
  await client.createQuote(create)
  const [own, made] = requests.map(({ headers }) => headers.get('Idempotency-Key'))
  assert.equal(own, 'order-42')
  assert.match(made ?? '', /^[0-9a-f-]{36}$/)
})

test('wrong credentials fail with the code of the token error', async () => {
  const rejected = { error: 'invalid_client', error_description: 'Check the secret.' }
  const { client } = clientOfFake(quote, { fetch: async () => Response.json(rejected, { status: 401 }) })
  await assert.rejects(client.getQuote('quote_1'), (error) => {
    assert.ok(error instanceof TokenRefusedError)
    assert.deepEqual([error.code, error.status], ['invalid_client', 401])
    return true
  })
})

test('a list gives its first page, or every entry of all pages, and ends at an empty page', async () => {
  const pages = [
    { data: [{ quoteId: 'quote_1' }, { quoteId: 'quote_2' }], nextCursor: 'two' },
    { data: [{ quoteId: 'quote_3' }], nextCursor: 'three' },
    { data: [], nextCursor: 'four' },
  ]
  const { client, requests } = clientOfFake(({ url }) => {
    const index = [null, 'two', 'three'].indexOf(url.searchParams.get('cursor'))
    return Response.json(pages[index])
  })
  const first = await client.listQuotes({ status: 'completed' })
  assert.deepEqual([first.data.length, first.nextCursor], [2, 'two'])

  const ids: string[] = []
  for await (const { quoteId } of client.listQuotes({ status: 'completed', limit: 2 })) ids.push(quoteId)
  assert.deepEqual(ids, ['quote_1', 'quote_2', 'quote_3'])
  assert.deepEqual(
    requests.slice(1).map(({ url }) => url.search),
    ['?status=completed&limit=2', '?status=completed&limit=2&cursor=two', '?status=completed&limit=2&cursor=three'],
  )

  const cursors: unknown[] = []
  for await (const { nextCursor } of client.listQuotes().pages()) cursors.push(nextCursor)
  assert.deepEqual(cursors, ['two', 'three', 'four'])
})

test('an id never leads to another path', async () => {
  const { client, requests } = clientOfFake(quote)
  await client.getQuote('../Customers/x?y')
  assert.equal(requests[0]?.url.href, 'https://bills.example/partner-api/Quotes/..%2FCustomers%2Fx%3Fy')
  for (const id of ['', '.', '..']) assert.throws(() => client.getQuote(id), TypeError)
})

test('a browser gets no client with a secret, but one with tokens of its own', (t) => {
  const baseUrl = 'https://bills.example'
  const secret = { clientId: 'sb_1', clientSecret: 'secret' }
  assert.throws(() => new HousebillClient({ baseUrl: 'ftp://bills.example', ...secret }), TypeError)
  for (const name of ['document', 'importScripts']) {
    Object.defineProperty(globalThis, name, { value: {}, configurable: true })
    t.after(() => Reflect.deleteProperty(globalThis, name))
    assert.throws(() => new HousebillClient({ baseUrl, ...secret }), /must not reach a browser/)
    new HousebillClient({ baseUrl, fetchToken: async () => ({ accessToken: 'own', expiresInSeconds: 60 }) })
    Reflect.deleteProperty(globalThis, name)
  }
})
