import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from './errors.ts'
import { isUnavailable, UpstreamFailure } from './upstream-failure.ts'

const failed = (cause: unknown) => new DomainError('service_unavailable', 'Retry shortly.', { cause })
const withStatus = (statusCode: number) => failed(new UpstreamFailure('processor', 'status', 'status', { statusCode }))

test('an upstream that rejects one request can be asked for others; one that fails, or rejects us, cannot', () => {
  for (const statusCode of [400, 402, 404, 422]) assert.equal(isUnavailable(withStatus(statusCode)), false)
  for (const statusCode of [401, 403, 409, 429, 500, 503]) assert.equal(isUnavailable(withStatus(statusCode)), true)
  assert.equal(isUnavailable(failed(new UpstreamFailure('processor', 'timeout', 'timeout'))), true)
  assert.equal(isUnavailable(failed(undefined)), true)
  assert.equal(isUnavailable(new Error('a fault')), false)
  assert.equal(isUnavailable(new DomainError('not_found', 'No such payment.')), false)
})
