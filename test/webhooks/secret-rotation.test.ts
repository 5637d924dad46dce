import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { wipeEndedSecrets } from '../../src/webhooks/endpoints/purge-deleted-webhooks.ts'
import { rotateSecret, secretForReplayedResponse } from '../../src/webhooks/secrets/rotate-secret.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf, urlOf } from './life-cycle-fixture.ts'
import { type ReceivedMessage, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const rotate = (lab: WebhookLab, webhookId: Id<'webhook'>) => rotateSecret(dependenciesOf(lab), lab.caller, webhookId)

/** Whether the message passes verification. Checks it with both libraries that receivers use, which must agree. */
function verifies(secret: string, { body, headers }: ReceivedMessage): boolean {
  const given = headers as Record<string, string>
  const results = [StandardWebhook, SvixWebhook].map((Library) => {
    try {
      new Library(secret).verify(body, given)
      return true
    } catch {
      return false
    }
  })
  assert.equal(results[0], results[1])
  return results[0] ?? false
}

const signaturesOf = ({ headers }: ReceivedMessage) => String(headers['webhook-signature']).split(' ')

async function nextEvent(
  lab: WebhookLab,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<ReceivedMessage> {
  const before = receiver.events().length
  await lab.happen(statusChanges(1))
  await waitFor('the event arrives', () => receiver.events().length > before)
  const event = receiver.events().at(-1)
  assert.ok(event)
  return event
}

test('before, during and after a rotation, both libraries verify a message with the secrets that are valid at the time', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId, secret: old } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  const before = await nextEvent(lab, receiver)
  assert.deepEqual([signaturesOf(before).length, verifies(old, before)], [1, true])

  const { secret: next } = await rotate(lab, webhookId)
  const during = await nextEvent(lab, receiver)
  assert.equal(signaturesOf(during).length, 2)
  assert.match(String(during.headers['webhook-signature']), /^v1,\S{44} v1,\S{44}$/)
  assert.deepEqual([verifies(old, during), verifies(next, during)], [true, true])
  const [newest = ''] = signaturesOf(during)
  const alone = { ...during, headers: { ...during.headers, 'webhook-signature': newest } }
  assert.deepEqual(
    [verifies(old, alone), verifies(next, alone)],
    [false, true],
    'the signature of the newest secret comes first',
  )

  await lab.rows(`update webhook_secrets set signs_until = now() where signs_until is not null`)
  const after = await nextEvent(lab, receiver)
  assert.equal(signaturesOf(after).length, 1)
  assert.deepEqual([verifies(old, after), verifies(next, after)], [false, true])
})

test('repeated rotations within a day keep up to five secrets valid', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId, secret } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  const secrets = [secret]
  for (let number = 2; number <= 7; number += 1) {
    secrets.push((await rotate(lab, webhookId)).secret)
    const message = await nextEvent(lab, receiver)
    const valid = secrets.slice(-5)
    assert.equal(signaturesOf(message).length, valid.length)
    for (const each of secrets) assert.equal(verifies(each, message), valid.includes(each))
  }
})

test('a secret moved to another row cannot be decrypted', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test:1/' })
  await rotate(lab, webhookId)
  await lab.rows(
    `update webhook_secrets set secret_encrypted = (select secret_encrypted from webhook_secrets
     where secret_number = 2)`,
  )
  assert.match(await secretForReplayedResponse(dependenciesOf(lab), lab.caller, webhookId, 2), /^whsec_/)
  await assert.rejects(secretForReplayedResponse(dependenciesOf(lab), lab.caller, webhookId, 1), {
    name: 'DecryptionError',
  })
})

test('a secret is deleted once it no longer signs and no replayed response needs it, not before', async (t) => {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test:1/' })
  await rotate(lab, webhookId)
  assert.equal(await wipeEndedSecrets(lab, 10), 0)
  await lab.rows(
    `update webhook_secrets set signs_until = now(), replayable_until = now() + interval '1 minute'
     where secret_number = 1`,
  )
  assert.equal(await wipeEndedSecrets(lab, 10), 0)
  await lab.rows(`update webhook_secrets set replayable_until = now() where secret_number = 1`)
  assert.equal(await wipeEndedSecrets(lab, 10), 1)
  assert.deepEqual(await lab.rows('select secret_number from webhook_secrets'), [{ secret_number: 2 }])
})
