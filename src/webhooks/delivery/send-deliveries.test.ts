import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verificationMessage } from '../messages/message.ts'
import type { WebhookResponse } from '../sender/webhook-sender.ts'
import { recordedResponse } from './send-deliveries.ts'

const now = new Date('2026-11-20T08:00:00Z')
const event = { type: 'quote.status.changed', body: '{}' }
const verification = verificationMessage('webhook_1', now)
const { challenge } = (JSON.parse(verification.body) as { data: { challenge: string } }).data

function answered(
  status: number | null,
  body: string | Buffer = '',
  rest: Partial<WebhookResponse> = {},
): WebhookResponse {
  return { status, body: Buffer.from(body), retryAfter: undefined, error: null, ...rest }
}

test('recordedResponse accepts only 2xx and treats 410 as gone', () => {
  const outcomes = [200, 201, 204, 299, 300, 301, 308, 400, 404, 410, 429, 500, 599].map(
    (status) => recordedResponse(event, answered(status), now).outcome,
  )
  assert.deepEqual(outcomes, [
    'accepted',
    'accepted',
    'accepted',
    'accepted',
    'failed',
    'failed',
    'failed',
    'failed',
    'failed',
    'gone',
    'failed',
    'failed',
    'failed',
  ])
})

test('recordedResponse says what to fix after a failure', () => {
  assert.match(recordedResponse(event, answered(302), now).error ?? '', /redirect \(302\).*not followed/)
  assert.match(recordedResponse(event, answered(500), now).error ?? '', /status 500 instead of 2xx/)
  assert.equal(
    recordedResponse(event, answered(200, '', { error: 'The response was not complete.' }), now).outcome,
    'failed',
  )
  assert.equal(recordedResponse(event, answered(null), now).responseBody, null)
  assert.equal(recordedResponse(event, answered(200), now).error, null)
})

test('recordedResponse accepts a verification only if the response echoes the challenge, as JSON or plain text', () => {
  const echoes = [
    challenge,
    ` ${challenge}\n`,
    JSON.stringify({ challenge }),
    JSON.stringify({ ok: true, challenge }, null, 2),
  ]
  for (const body of echoes)
    assert.equal(recordedResponse(verification, answered(200, body), now).outcome, 'accepted', body)
  const others = [
    '',
    'ok',
    '{}',
    'null',
    '[]',
    '{"challenge":"other"}',
    `${challenge}x`,
    JSON.stringify({ data: { challenge } }),
  ]
  for (const body of others)
    assert.equal(recordedResponse(verification, answered(200, body), now).outcome, 'unverified', body)
  assert.equal(recordedResponse(verification, answered(500, challenge), now).outcome, 'failed')
})

test('recordedResponse keeps 4 KiB of a long or binary response as text that PostgreSQL can store', () => {
  const kept = recordedResponse(event, answered(200, `${'é'.repeat(2_047)}x${'é'.repeat(9)}`), now).responseBody ?? ''
  assert.equal(kept, `${'é'.repeat(2_047)}x`)
  assert.equal(
    recordedResponse(event, answered(200, Buffer.from([0x61, 0, 0xff, 0x62])), now).responseBody,
    'a\uFFFD\uFFFDb',
  )
})

test('recordedResponse reads Retry-After as seconds from now', () => {
  assert.equal(recordedResponse(event, answered(503, '', { retryAfter: '7' }), now).retryAfterSeconds, 7)
})
