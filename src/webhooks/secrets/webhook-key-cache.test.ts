import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createFieldCipher, DecryptionError, type FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { newWebhookSecret, sealSecret, secretKey, WebhookKeyCache } from './secret.ts'

function countingCipher(): { cipher: FieldCipher; opened: () => number } {
  const inner = createFieldCipher([{ id: 'test', key: randomBytes(32) }], randomBytes(32))
  let opened = 0
  const cipher: FieldCipher = {
    ...inner,
    decrypt(value, location) {
      opened += 1
      return inner.decrypt(value, location)
    },
  }
  return { cipher, opened: () => opened }
}

test('repeated calls of open for one secret return the same key and decrypt the secret only once', () => {
  const { cipher, opened } = countingCipher()
  const secret = newWebhookSecret()
  const secrets = new WebhookKeyCache(cipher)
  const stored = sealSecret(cipher, 'webhook_1', 1, secret)
  for (let count = 0; count < 3; count += 1)
    assert.deepEqual(secrets.open('webhook_1', stored).export(), secretKey(secret))
  assert.equal(opened(), 1)
})

test('open returns the new secret after a rotation', () => {
  const { cipher } = countingCipher()
  const secrets = new WebhookKeyCache(cipher)
  const [before, after] = [newWebhookSecret(), newWebhookSecret()]
  secrets.open('webhook_1', sealSecret(cipher, 'webhook_1', 1, before))
  assert.deepEqual(secrets.open('webhook_1', sealSecret(cipher, 'webhook_1', 2, after)).export(), secretKey(after))
})

test("open throws if one webhook's secret is used for another, even if the secret is cached", () => {
  const { cipher } = countingCipher()
  const secrets = new WebhookKeyCache(cipher)
  const stored = sealSecret(cipher, 'webhook_1', 1, newWebhookSecret())
  secrets.open('webhook_1', stored)
  assert.throws(() => secrets.open('webhook_2', stored), DecryptionError)
})

test('open drops the least recently used secret when the cache is full', () => {
  const { cipher, opened } = countingCipher()
  const secrets = new WebhookKeyCache(cipher)
  const stored = Array.from({ length: 1_001 }, (_, index) => ({
    webhookId: `webhook_${index}` as const,
    secret: sealSecret(cipher, `webhook_${index}`, 1, newWebhookSecret()),
  }))
  const open = (index: number) => {
    const one = stored[index]
    assert(one !== undefined)
    secrets.open(one.webhookId, one.secret)
  }
  for (let index = 0; index < 1_000; index += 1) open(index)
  open(0)
  open(1_000)
  open(0)
  assert.equal(opened(), 1_001)
  open(1)
  assert.equal(opened(), 1_002)
})
