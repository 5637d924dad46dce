import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EventType, eventTypes } from '../../events/event.ts'
import type { Verification, Webhook, WebhookStatus } from './subscription.ts'
import { applyChanges, type WebhookChanges } from './update-webhook.ts'

const base: Webhook = {
  webhookId: 'webhook_1',
  url: 'https://one.test',
  events: ['quote.status.changed'],
  status: 'active',
  disabledReason: null,
  verification: 'verified',
  createdAt: new Date(0),
  disabledAt: null,
  failingSince: null,
  previousSecretValidUntil: null,
}
const disabled: Webhook = { ...base, status: 'disabled', disabledReason: 'The receiver responded with 410 Gone.' }

test('applyChanges requires a new challenge for a new URL but not for the same URL', () => {
  const moved = applyChanges(base, { url: 'https://two.test' })
  assert.deepEqual([moved.isMoved, moved.needsChallenge, moved.webhook.verification], [true, true, 'pending'])
  const same = applyChanges(base, { url: base.url })
  assert.deepEqual(same, { webhook: base, isEnabled: false, isMoved: false, needsChallenge: false })
})

test('applyChanges records who disabled a webhook, ends any challenge in progress and keeps a completed verification', () => {
  for (const [before, after] of [
    ['verified', 'verified'],
    ['pending', 'failed'],
    ['failed', 'failed'],
  ] as const) {
    const { webhook } = applyChanges({ ...base, verification: before }, { status: 'disabled' })
    assert.deepEqual(webhook, { ...base, status: 'disabled', disabledReason: 'You disabled it.', verification: after })
  }
  assert.equal(applyChanges(disabled, { status: 'disabled' }).webhook.disabledReason, disabled.disabledReason)
})

test('applyChanges clears the disabled reason when it enables a webhook, and requires a challenge if the webhook is unverified', () => {
  for (const [before, after, asks] of [
    ['verified', 'verified', false],
    ['pending', 'pending', true],
    ['failed', 'pending', true],
  ] as const) {
    const { webhook, ...follows } = applyChanges({ ...disabled, verification: before }, { status: 'active' })
    assert.deepEqual(webhook, { ...base, verification: after })
    assert.deepEqual(follows, { isEnabled: true, isMoved: false, needsChallenge: asks })
  }
})

test('applyChanges changes nothing when the same changes are applied a second time', () => {
  const changes = fc.record<WebhookChanges>(
    {
      url: fc.constantFrom('https://one.test', 'https://two.test'),
      events: fc.shuffledSubarray<EventType>([...eventTypes], { minLength: 1 }),
      status: fc.constantFrom<WebhookStatus>('active', 'disabled'),
    },
    { requiredKeys: [] },
  )
  const webhooks = fc
    .record({ verification: fc.constantFrom<Verification>('pending', 'verified', 'failed'), isActive: fc.boolean() })
    .map(({ verification, isActive }): Webhook => ({ ...(isActive ? base : disabled), verification }))
  fc.assert(
    fc.property(webhooks, changes, (before, change) => {
      const { webhook } = applyChanges(before, change)
      assert.equal(webhook.disabledReason === null, webhook.status === 'active')
      assert.deepEqual(applyChanges(webhook, change), {
        webhook,
        isEnabled: false,
        isMoved: false,
        needsChallenge: false,
      })
    }),
  )
})
