import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { newWebhookSecret, secretKey, signMessage } from './secret.ts'

test('signMessage returns the signature of the Standard Webhooks test vector', () => {
  const headers = signMessage(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: new Date(1614265330_000),
    body: '{"test": 2432232314}',
  })
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('the standardwebhooks and svix packages can verify what signMessage signs, whatever the body, with any secret of the webhook', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const secrets = [newWebhookSecret(), newWebhookSecret()]
      const body = JSON.stringify({ text: text.toWellFormed() })
      const headers = signMessage(secrets, { id: 'event_1', timestamp: new Date(), body })
      for (const secret of secrets) {
        assert.deepEqual(new Webhook(secret).verify(body, { ...headers }), JSON.parse(body))
        new SvixWebhook(secret).verify(body, { ...headers })
      }
      for (const Library of [Webhook, SvixWebhook]) {
        assert.throws(() => new Library(newWebhookSecret()).verify(body, { ...headers }))
        assert.throws(() => new Library(secrets[0] ?? '').verify(`${body} `, { ...headers }))
      }
    }),
    { numRuns: 30 },
  )
})

test('each call of newWebhookSecret returns a different 32-byte secret in the whsec_ form', () => {
  const [first, second] = [newWebhookSecret(), newWebhookSecret()]
  assert.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(secretKey(first).length, 32)
  assert.notEqual(first, second)
})

test('secretKey throws for a text that is not a secret, without quoting it', () => {
  for (const text of ['whsec_', 'whsec_YWJjZA==', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
    assert.throws(() => secretKey(text), {
      message: 'a webhook secret must be "whsec_" followed by 24 to 64 bytes in Base64',
    })
  }
})
