import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './document.ts'
import { asCurl, type ReceivedResponse, type SentRequest } from './exchange.ts'
import { judge } from './judgement.ts'

const operation = operations.find(({ operationId }) => operationId === 'cancelQuote')
assert.ok(operation !== undefined)

const request: SentRequest = {
  plan: {
    operation,
    method: 'POST',
    path: '/partner-api/Quotes/{{own.quoteId}}/cancel',
    query: '',
    headers: [],
    body: undefined,
    isPlain: true,
    whose: 'own',
  },
  method: 'POST',
  target: '/partner-api/Quotes/quote_1/cancel',
  headers: [['authorization', 'Bearer aa.bb.cc']],
  body: undefined,
}
const problem = {
  type: 'http://localhost/docs/errors/quote_cancelled',
  title: 'The quote was cancelled',
  status: 422,
  detail: 'Make a new one.',
  code: 'quote_cancelled',
  requestId: 'request_1',
}

function answer(status: number, body: object, headers: Record<string, string> = {}): ReceivedResponse {
  return {
    status,
    headers: new Headers({
      'content-type': 'application/problem+json; charset=utf-8',
      'x-request-id': 'request_1',
      ...headers,
    }),
    text: JSON.stringify(body),
  }
}

test('judge finds nothing wrong with a documented response', () => {
  assert.deepEqual(judge(request, answer(422, problem)), [])
})

test('an empty object in more than 64 KiB of spaces may be rejected, although the document allows an empty object', () => {
  const large: SentRequest = { ...request, body: Buffer.from(`{}${' '.repeat(65_536)}`) }
  const tooLarge = answer(413, { ...problem, status: 413, code: 'payload_too_large' })
  const allowed = (complaint: string) => complaint.includes('that the document allows')
  assert.deepEqual(judge(large, tooLarge).filter(allowed), [])
})

test('judge reports what is wrong with a response', () => {
  const foreign: SentRequest = { ...request, plan: { ...request.plan, whose: 'foreign' } }
  const quote = { quoteId: 'quote_1' }
  for (const [sent, found, expected] of [
    [request, answer(500, { ...problem, status: 500 }), /^500, though no upstream/],
    [request, answer(503, { ...problem, status: 503 }), /^503, though no upstream/],
    [request, answer(418, { ...problem, status: 418 }), /not in the document/],
    [request, answer(429, { ...problem, status: 429 }), /no limit is set/],
    [request, answer(400, { ...problem, status: 400 }), /400 for a request that the document allows/],
    [request, answer(422, problem, { 'content-type': 'application/json' }), /application\/json/],
    [request, answer(422, { ...problem, more: 1 }), /not as documented/],
    [request, answer(422, { ...problem, status: 400 }), /has the status 400/],
    [request, answer(422, { ...problem, requestId: 'request_2' }), /a different requestId/],
    [request, answer(422, { ...problem, code: 'quote_locked' }), /does not belong to quote_locked/],
    [request, answer(422, { ...problem, detail: 'at run (/app/src/db.ts:10)' }), /reveals internals/],
    [request, answer(200, quote, { 'content-type': 'application/json' }), /not as documented/],
    [foreign, answer(200, quote, { 'content-type': 'application/json' }), /200 for an id that is foreign/],
    [request, { failure: 'other side closed' }, /no response/],
  ] as const)
    assert.ok(
      judge(sent, found).some((complaint) => expected.test(complaint)),
      `${expected} among ${judge(sent, found)}`,
    )
})

test('a request is shown as a curl command without the token', () => {
  const sent = {
    ...request,
    body: Buffer.from([0xff, 0x00]),
    headers: [...request.headers, ['x-odd', "a'\xff"] as const],
  }
  assert.equal(
    asCurl(sent),
    `printf %s /wA= | base64 -d | curl -i --path-as-is --globoff -X POST -H "authorization: Bearer $TOKEN" -H $'x-odd: a\\'\\xff' --data-binary @- "$BASE_URL"/partner-api/Quotes/quote_1/cancel`,
  )
})
