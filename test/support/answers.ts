import assert from 'node:assert/strict'
import type { Answer, Problem } from './client.ts'

/** The body of an answer that must be a success. */
export function succeeded<Success>(answer: Answer<Success>): Success {
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Success
}

/** The problem document of an answer that must be this refusal, complete in every member. */
export function refused(answer: Answer, status: number, code: string): Problem {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  const problem = answer.body as Problem
  assert.equal(problem.code, code, answer.text)
  assert.equal(problem.status, status)
  assert.match(problem.type, new RegExp(`^https?://[^/]+/docs/errors/${code}$`))
  assert.equal(problem.requestId, answer.headers.get('x-request-id'))
  assert.ok(problem.title.length > 5 && problem.detail.length > 10, answer.text)
  for (const { pointer, detail } of problem.errors ?? []) assert.ok(/^(\/|$)/.test(pointer) && detail.length > 5)
  return problem
}

/** The code of a refusal; undefined where the call succeeded. */
export function codeOf({ status, body }: Answer): string | undefined {
  return status === 200 ? undefined : (body as Problem).code
}

/** Pointer and code of every bad field of a refusal, in the order of their pointers. */
export function badFields(problem: Problem): [pointer: string, code: string][] {
  const fields = (problem.errors ?? []).map(({ pointer, code }): [string, string] => [pointer, code])
  return fields.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
}

/** The bytes of a refusal without what differs from request to request. */
export function withoutRequestId(answer: Answer): string {
  return answer.text.replace(/"requestId":"[^"]*"/, '"requestId":""')
}
