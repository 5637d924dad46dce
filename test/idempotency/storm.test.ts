import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/routes/table.ts'
import { stormEveryPost } from './storm.ts'

/** Those of which a second effect would cost most: a quote, and a contract with its documents. */
const weightiest = ['createQuote', 'acceptTerms']

test('every POST, when it comes 25 times at once with one key, the weightiest a thousand times, has one effect and one answer', async () => {
  const report = await stormEveryPost((operationId) => (weightiest.includes(operationId) ? 1_000 : 25))
  const posts = routes.filter(({ method }) => method === 'POST').map(({ operationId }) => operationId)
  assert.deepEqual([...report.operations].sort(), posts.sort(), 'an operation was added: take it into every-post.ts')
  assert.equal(report.requests, 2 * 1_000 + (posts.length - 2) * 25)
  assert.ok(report.inFlight > 0, 'none met another')
})
