import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/routes/table.ts'
import { stormEveryPost } from './storm.ts'

test('every POST, when it comes a thousand times at once with one key, has one effect and one answer', async () => {
  const report = await stormEveryPost(() => 1_000)
  const posts = routes.filter(({ method }) => method === 'POST').map(({ operationId }) => operationId)
  assert.deepEqual([...report.operations].sort(), posts.sort(), 'an operation was added: take it into every-post.ts')
  assert.equal(report.requests, posts.length * 1_000)
  assert.ok(report.inFlight > 0, 'none met another')
})
