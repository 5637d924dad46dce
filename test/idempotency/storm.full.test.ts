import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/app/http/routes.ts'
import { isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { stormEveryPost } from './storm.ts'

test('every POST sent many times at once with one key has one effect and one response', async (t) => {
  const requests = wholeNumberFromEnv('REQUESTS') ?? (isFullSize ? 1_000 : 60)
  const report = await stormEveryPost(() => requests)
  t.diagnostic(
    `${report.requests} requests, in flight ${report.inFlight}, unavailable ${report.unavailable}, replayed exactly ${report.replays}`,
  )
  const posts = routes.filter(({ method }) => method === 'POST').map(({ operationId }) => operationId)
  assert.deepEqual(
    [...report.operations].sort(),
    posts.sort(),
    'an operation was added: call it in scripts/generated/examples/journey.ts',
  )
  assert.equal(report.requests, posts.length * requests)
  assert.ok(report.inFlight > 0, 'no request was rejected with idempotency_in_flight')
})
