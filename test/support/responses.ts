import assert from 'node:assert/strict'
import { errorResponses } from '../../src/app/http/error-responses.ts'
import type { ErrorCode } from '../../src/platform/kernel/errors.ts'
import type { ApiResponse, Problem } from './client.ts'

/** Asserts that the call succeeded. Returns the body of its response. */
export function succeeded<Success>(response: ApiResponse<Success>): Success {
  assert.equal(response.status, 200, response.text)
  return response.body as Success
}

/** Asserts that the response is a complete problem document with this status and code, and returns it. */
export function rejected(response: ApiResponse, status: number, code: string): Problem {
  assert.equal(response.status, status, response.text)
  assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  const problem = response.body as Problem
  assert.equal(problem.code, code, response.text)
  assert.equal(problem.status, status)
  assert.match(problem.type, new RegExp(`^https?://[^/]+/docs/errors/${code}$`))
  assert.equal(problem.requestId, response.headers.get('x-request-id'))
  assert.ok(problem.title.length > 5 && problem.detail.length > 10, response.text)
  assert.notEqual(problem.errors?.length, 0, 'the errors member is present but empty')
  const members = ['type', 'title', 'status', 'detail', 'code', 'requestId']
  assert.deepEqual(Object.keys(problem), problem.errors === undefined ? members : [...members, 'errors'], response.text)
  const [first, ...others] = problem.errors ?? []
  if (first !== undefined && others.length === 0)
    assert.equal(problem.detail, first.detail, 'with one invalid field, detail is its sentence')
  for (const each of problem.errors ?? []) {
    assert.deepEqual(Object.keys(each), ['pointer', 'code', 'detail'])
    assert.ok(
      /^(\/|$)/.test(each.pointer) && each.detail.length > 5,
      'each entry in errors has a pointer and says what the field must be',
    )
  }
  return problem
}

/**
 * Like `rejected`, but expects the status and title that belong to the code. Also compares `errors` with the expected
 * entries, in any order. An expected entry is a pointer, or a pointer and a code: `/email required`.
 */
export function assertProblem(response: ApiResponse, code: ErrorCode, expected: readonly string[] = []): Problem {
  const { status, title } = errorResponses[code]
  const problem = rejected(response, status, code)
  assert.equal(problem.title, title)
  const withCodes = expected.some((entry) => entry.includes(' '))
  const found = invalidFields(problem).map(([pointer, fieldCode]) => (withCodes ? `${pointer} ${fieldCode}` : pointer))
  assert.deepEqual(found.sort(), [...expected].sort(), response.text)
  return problem
}

/** The error code, or undefined if the call succeeded. */
export function codeOf({ status, body }: ApiResponse): string | undefined {
  return status === 200 ? undefined : (body as Problem).code
}

/** The pointer and code of each invalid field, sorted by pointer. */
export function invalidFields(problem: Problem): [pointer: string, code: string][] {
  const fields = (problem.errors ?? []).map(({ pointer, code }): [string, string] => [pointer, code])
  return fields.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
}

/** The body of an error without its request id, so that two responses can be compared. */
export function withoutRequestId(response: ApiResponse): string {
  return response.text.replace(/"requestId":"[^"]*"/, '"requestId":""')
}
