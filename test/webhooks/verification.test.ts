import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { getWebhook } from '../../src/webhooks/endpoints/list-webhooks.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, type WebhookLab } from './webhook-fixture.ts'

const verificationOf = async (lab: WebhookLab, webhookId: Id<'webhook'>) =>
  (await getWebhook(dependenciesOf(lab), lab.caller, webhookId)).verification

test('a new webhook whose receiver never echoes the challenge fails verification after the last attempt, but stays active', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t, (_received, response) => response.end('ok'))
  const { webhookId } = await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker({ retrySeconds: [0, 1] })
  await waitFor('two challenges were sent', () => receiver.received.length === 2)
  assert.equal(await verificationOf(lab, webhookId), 'pending')
  await waitFor('it has failed', async () => (await verificationOf(lab, webhookId)) === 'failed')
  assert.equal(receiver.received.length, 3)
  assert.equal(new Set(receiver.received.map(({ message }) => message.data.challenge)).size, 1)
  const webhook = await getWebhook(dependenciesOf(lab), lab.caller, webhookId)
  assert.deepEqual([webhook.status, webhook.disabledReason], ['active', null])
  const [row] = await lab.rows('select failing_since from webhooks')
  assert.equal(row?.failing_since, null)
})
