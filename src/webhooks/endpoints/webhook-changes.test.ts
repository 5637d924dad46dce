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
      if (before.status === webhook.status) assert.equal(webhook.disabledReason, before.disabledReason)
      assert.deepEqual(applyChanges(webhook, change), {
        webhook,
        isEnabled: false,
        isMoved: false,
        needsChallenge: false,
      })
    }),
  )
})
