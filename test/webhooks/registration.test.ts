import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWebhook } from '../../src/domain/webhooks/endpoints/create-webhook.ts'
import { getWebhook } from '../../src/domain/webhooks/endpoints/get-webhook.ts'
import { secretForReplayedResponse } from '../../src/domain/webhooks/secrets/secret-for-replayed-response.ts'
import { DomainError } from '../../src/kernel/errors.ts'
import { egress } from '../operations/webhooks/webhook-names.ts'
import { dependenciesOf } from './life-cycle-fixture.ts'
import { labResolver, openLab, type WebhookLab } from './webhook-fixture.ts'

// 127.0.0.2, on which nothing listens, represents a public address, because tests never contact public addresses.
const resolver = labResolver({ 'public.test': ['127.0.0.2'], 'private.test': ['10.0.0.5'] })

function register(
  lab: WebhookLab,
  url: string,
  events: readonly string[] = ['quote.status.changed'],
  caller = lab.caller,
) {
  const dependencies = {
    db: lab.databases.forPartner(caller.partnerId),
    cipher: lab.cipher,
    resolver,
    egress,
  }
  return createWebhook(dependencies, caller, { url, events })
}

async function refusal(promise: Promise<unknown>): Promise<DomainError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert(error instanceof DomainError, String(error))
  return error
}

test('a valid registration returns the webhook and its secret, which is returned only once', async (t) => {
  const lab = await openLab(t)
  const url = 'https://Public.test/Hooks#x'
  const { webhook, secret } = await register(lab, url, ['customer.status.changed', 'quote.status.changed'])
  assert.match(webhook.webhookId, /^webhook_[0-9a-z]{26}$/)
  assert.deepEqual(
    { ...webhook, webhookId: '', createdAt: '' },
    {
      webhookId: '',
      url,
      events: ['customer.status.changed', 'quote.status.changed'],
      status: 'active',
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      previousSecretValidUntil: null,
      verification: 'pending',
      createdAt: '',
    },
  )
  assert(Math.abs(webhook.createdAt.getTime() - Date.now()) < 60_000)
  assert.deepEqual(await getWebhook(dependenciesOf(lab), lab.caller, webhook.webhookId), webhook)
  assert.equal(await secretForReplayedResponse(dependenciesOf(lab), lab.caller, webhook.webhookId, 1), secret)
  const [row] = await lab.rows('select w.*, s.* from webhooks w join webhook_secrets s using (webhook_id)')
  assert(!JSON.stringify(row).includes(secret.slice('whsec_'.length)))
})

test('a webhook that belongs to another partner or does not exist is not found, nor is its secret', async (t) => {
  const lab = await openLab(t)
  const { webhook } = await register(lab, 'https://public.test')
  const stranger = await lab.newPartner()
  const messages = new Set<string>()
  for (const [caller, id] of [
    [stranger, webhook.webhookId],
    [lab.caller, 'webhook_01h455vb4pex5vsknk084sn02q'],
    [lab.caller, "webhook_'; --"],
  ] as const) {
    for (const read of [getWebhook, secretForReplayedResponse]) {
      const error = await refusal(read(dependenciesOf(lab, caller), caller, id, 1))
      assert.equal(error.code, 'not_found')
      messages.add(error.message)
    }
  }
  assert.equal(messages.size, 1)
})

test('a registration whose URL is rejected returns the matching code and says why', async (t) => {
  const lab = await openLab(t)
  const refused = {
    'http://public.test': 'webhook_url_not_allowed',
    'https://user:pass@public.test': 'webhook_url_not_allowed',
    'https://public.test:80': 'webhook_url_not_allowed',
    'https://private.test': 'webhook_url_not_allowed',
    'https://localhost:8443': 'webhook_url_not_allowed',
    'https://0x7f.1': 'webhook_url_not_allowed',
    'https://[::ffff:127.0.0.1]': 'webhook_url_not_allowed',
    nonsense: 'webhook_url_not_allowed',
    'https://nowhere.test': 'webhook_url_unreachable',
  }
  for (const [url, code] of Object.entries(refused)) {
    const error = await refusal(register(lab, url))
    assert.equal(error.code, code, url)
    assert.deepEqual(
      error.fields.map((field) => [field.pointer, field.code]),
      [['/url', code]],
      url,
    )
    assert(error.message.length > 20, url)
  }
  assert.deepEqual(await lab.rows('select from webhooks'), [])
})

test('a registration with an invalid URL and invalid events lists all errors at once', async (t) => {
  const lab = await openLab(t)
  const unknown = await refusal(register(lab, 'https://public.test', ['quote.gone', 'customer.status.changed', 'x']))
  assert.equal(unknown.code, 'webhook_event_unknown')
  assert.deepEqual(
    unknown.fields.map(({ pointer }) => pointer),
    ['/events/0', '/events/2'],
  )
  const both = await refusal(register(lab, 'http://public.test', ['quote.gone']))
  assert.equal(both.code, 'validation_failed')
  assert.deepEqual(
    both.fields.map(({ pointer, code }) => [pointer, code]),
    [
      ['/url', 'webhook_url_not_allowed'],
      ['/events/0', 'webhook_event_unknown'],
    ],
  )
  assert.equal((await refusal(register(lab, 'https://public.test', []))).code, 'validation_failed')
})

test('concurrent registrations stop at exactly twenty for a partner, each with a different id', async (t) => {
  const lab = await openLab(t)
  const results = await Promise.allSettled(
    Array.from({ length: 24 }, (_, index) => register(lab, `https://public.test/${index % 5}`)),
  )
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.webhook.webhookId] : []))
  assert.equal(new Set(made).size, 20)
  for (const result of results) if (result.status === 'rejected') assert.equal(result.reason.code, 'too_many_webhooks')
  const stranger = await lab.newPartner()
  await register(lab, 'https://public.test', ['quote.status.changed'], stranger)
})

test('concurrent registrations stop at exactly five for a URL, however it is written', async (t) => {
  const lab = await openLab(t)
  const spellings = [
    'https://public.test/in',
    'https://PUBLIC.test:443/in',
    'https://public.test./in#a',
    'https://p%75blic.test/in',
  ]
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => register(lab, spellings[index % spellings.length] ?? '')),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5)
  const error = await refusal(register(lab, 'https://public.test/in'))
  assert.equal(error.code, 'too_many_webhooks')
  assert.match(error.message, /limit of 5 webhooks with the same URL/)
  await register(lab, 'https://public.test/other')
})
