import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { InvalidWebhookError, verifyWebhook } from '../../clients/typescript/src/entry.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const body = '{"test": 2432232314}'
const now = new Date(1_614_265_330_000)
const documented = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('the example of the webhooks guide is genuine, as text and as bytes, in every form of headers', async () => {
  const headersOfNode = { ...documented, 'webhook-id': [documented['webhook-id']] }
  const capitals = Object.fromEntries(Object.entries(documented).map(([name, value]) => [name.toUpperCase(), value]))
  for (const headers of [documented, new Headers(documented), headersOfNode, capitals])
    for (const rawBody of [body, new TextEncoder().encode(body)])
      assert.deepEqual(await verifyWebhook(rawBody, headers, secret, { now }), { test: 2_432_232_314 })
})

test('a message is genuine if one of several signatures fits one of several secrets', async () => {
  const signature = `v1,${'A'.repeat(43)}= v1a,whatever ${documented['webhook-signature']}`
  const message = await verifyWebhook(body, { ...documented, 'webhook-signature': signature }, [other, secret], { now })
  assert.deepEqual(message, { test: 2_432_232_314 })
})

test('what the reference implementation signs is genuine at this time', async () => {
  const [id, sentAt, text] = ['msg_1', new Date(), '{"type":"quote.status.changed","note":"naïve £"}']
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, sentAt, text),
  }
  assert.equal((await verifyWebhook(text, headers, secret)).type, 'quote.status.changed')
})

for (const [name, change] of [
  ['a changed body', { body: `${body} ` }],
  ['another secret', { secret: other }],
  ['another id', { headers: { ...documented, 'webhook-id': 'msg_2' } }],
  ['a changed timestamp', { headers: { ...documented, 'webhook-timestamp': '1614265331' } }],
  ['no signature', { headers: { ...documented, 'webhook-signature': undefined } }],
  ['a signature of another version', { headers: { ...documented, 'webhook-signature': 'v2,g0hM9SsE' } }],
  ['a signature that is no Base64', { headers: { ...documented, 'webhook-signature': 'v1,%%%' } }],
  ['a timestamp that is no number', { headers: { ...documented, 'webhook-timestamp': 'now' } }],
  ['a message that is too old', { now: new Date(now.getTime() + 301_000) }],
  ['a message from the future', { now: new Date(now.getTime() - 301_000) }],
  ['a shorter tolerance', { now: new Date(now.getTime() + 11_000), toleranceSeconds: 10 }],
] as const) {
  test(`${name} is rejected`, async () => {
    const given = { body, secret, headers: documented, now, ...change }
    await assert.rejects(verifyWebhook(given.body, given.headers, given.secret, given), InvalidWebhookError)
  })
}

test('a longer tolerance accepts an older message', async () => {
  const later = new Date(now.getTime() + 3_000_000)
  await verifyWebhook(body, documented, secret, { now: later, toleranceSeconds: 3_600 })
})

test('a secret that cannot be one is a mistake of the program', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_%', []])
    await assert.rejects(verifyWebhook(body, documented, wrong, { now }), TypeError)
})
