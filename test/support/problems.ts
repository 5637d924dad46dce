import assert from 'node:assert/strict'
import type { ErrorCode } from '../../src/domain/kernel/errors.ts'
import { errorResponses } from '../../src/http/error-responses.ts'

import type { Answer, Problem } from './client.ts'

/** The body of a successful answer; fails with the refusal's text where it was none. */
export function succeeded<Success>(answer: Answer<Success>): Success {
  assert.equal(answer.status, 200, `expected success: ${answer.text}`)
  return answer.body as Success
}

/**
 * Holds a refusal against the whole of what decisions §3 promises: its status, media type and members, a `type` on this
 * server, the requestId of the header, and in `errors` exactly the expected entries, `pointer` or `pointer code`, in any order.
 */
export function assertProblem(answer: Answer, code: ErrorCode, expected: readonly string[] = []): Problem {
  const { headers, text } = answer
  const body = answer.body as Problem
  assert.equal(body?.code, code, `expected ${code}: ${answer.status} ${text}`)
  assert.equal(answer.status, errorResponses[code].status, text)
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  const members = ['type', 'title', 'status', 'detail', 'code', 'requestId']
  assert.deepEqual(Object.keys(body), expected.length > 0 ? [...members, 'errors'] : members, text)
  assert.match(body.type, new RegExp(`^https?://[^/]+/docs/errors/${code}$`))
  assert.equal(body.title, errorResponses[code].title)
  assert.equal(body.status, answer.status)
  assert.ok(body.detail.length > 10, 'the detail names the remedy')
  assert.equal(body.requestId, headers.get('x-request-id'))
  const errors = body.errors ?? []
  const withCodes = expected.some((wish) => wish.includes(' '))
  const found = errors.map(({ pointer, code: fieldCode }) => (withCodes ? `${pointer} ${fieldCode}` : pointer))
  assert.deepEqual(found.sort(), [...expected].sort(), text)
  for (const each of errors) {
    assert.deepEqual(Object.keys(each), ['pointer', 'code', 'detail'])
    assert.ok(each.detail.length > 5, 'each entry says what the field must be')
  }
  return body
}

/** The bytes of a refusal without what differs from request to request. */
export function withoutRequestId(answer: Answer): string {
  return answer.text.replace(/"requestId":"[^"]*"/, '"requestId":""')
}
