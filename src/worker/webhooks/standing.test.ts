import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndedAttempt } from '../../domain/webhooks/delivery/record-attempts.ts'
import { leasedDelivery } from './leased-delivery.fixture.ts'
import { Standing } from './standing.ts'

const attempt = {
  outcome: 'gone',
  startedAt: new Date(),
  durationMs: 1,
  requestHeaders: {},
  responseStatus: 410,
  responseBody: '',
  error: 'gone',
  retryAfterSeconds: undefined,
} satisfies EndedAttempt['attempt']
const gone: EndedAttempt = { delivery: leasedDelivery('a'), attempt }

test('what was leased while its webhook changed may not begin; what is leased after it may', () => {
  const standing = new Standing()
  standing.beginTaking()
  standing.changed('a')
  assert.deepEqual([standing.mayBegin({ webhookId: 'a' }), standing.mayBegin({ webhookId: 'b' })], [false, true])
  standing.beginTaking()
  assert.equal(standing.mayBegin({ webhookId: 'a' }), true)
})

test('where any webhook may have changed, nothing that was being leased may begin', () => {
  const standing = new Standing()
  standing.beginTaking()
  standing.changed()
  assert.equal(standing.mayBegin({ webhookId: 'a' }), false)
  standing.beginTaking()
  assert.equal(standing.mayBegin({ webhookId: 'a' }), true)
})

test('after 410 nothing may begin, until every one of them is written down', () => {
  const standing = new Standing()
  assert.deepEqual([standing.ended(gone), standing.ended(gone)], ['gone', 'gone'])
  assert.equal(standing.ended({ ...gone, attempt: { ...attempt, outcome: 'failed' } }), 'there')
  standing.beginTaking()
  standing.recorded(gone)
  standing.recorded({ ...gone, attempt: { ...attempt, outcome: 'failed' } })
  assert.equal(standing.mayBegin(gone.delivery), false)
  standing.recorded(gone)
  assert.equal(standing.mayBegin(gone.delivery), true)
})
