import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/events/event.ts'
import { type CallOptions, connectPartner } from '../support/client.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { receivers } from './webhook-names.ts'

const service = await shareTestService({}, { receivers })
const partner = await connectPartner(service.baseUrl, service.credentials)
const everyEvent = [...eventTypes]
const register = (body: unknown, options?: CallOptions) => partner.post('/Webhooks', body, options)
const fields = async (body: unknown, status: number, code: string) =>
  invalidFields(rejected(await register(body), status, code))

test('a valid registration is active immediately but unverified, and the response shows its secret', async () => {
  const response = succeeded(await register({ url: 'https://hooks.test/in?x=1', events: everyEvent }))
  const { webhookId, secret, createdAt, ...rest } = response
  assert.match(webhookId, /^webhook_[0-9a-z]{26}$/)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.match(createdAt, /Z$/)
  assert.deepEqual(rest, {
    url: 'https://hooks.test/in?x=1',
    events: everyEvent,
    status: 'active',
    verification: 'pending',
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    previousSecretValidUntil: null,
  })
})

test('an address in WEBHOOK_DENY, or one of the service itself, is not allowed', async (t) => {
  const addresses: Record<string, string> = {
    'bills.test': '9.9.9.9',
    'also-bills.test': '9.9.9.9',
    'denied.test': '8.8.8.8',
  }
  const port = await findFreePort()
  const guarded = await startTestService(
    { WEBHOOK_DENY: '8.8.0.0/16', PUBLIC_URL: 'http://bills.test', PORT: String(port) },
    { resolver: { resolve: async (name) => [addresses[name] ?? assert.fail(name)] } },
  )
  t.after(() => guarded.stop())
  const { post } = await connectPartner(`http://127.0.0.1:${port}`, guarded.credentials)
  for (const [name, reason] of [
    ['denied.test', /forbids/],
    ['bills.test', /this service itself/],
    ['also-bills.test', /this service itself/],
  ] as const) {
    const response = await post('/Webhooks', { url: `https://${name}/in`, events: everyEvent })
    assert.match(rejected(response, 422, 'webhook_url_not_allowed').detail, reason)
  }
})

test('a URL that is empty or longer than 2,048 characters returns validation_failed with a single error', async () => {
  const longest = `https://hooks.test/${'x'.repeat(2_029)}`
  assert.equal(succeeded(await register({ url: longest, events: everyEvent })).url, longest)
  for (const [url, code] of [
    ['', 'too_short'],
    [`${longest}x`, 'too_long'],
  ])
    assert.deepEqual(await fields({ url, events: everyEvent }, 422, 'validation_failed'), [['/url', code]])
})

test('unknown event names return webhook_event_unknown, with a pointer to each', async () => {
  const events = ['quote.created', 'customer.status.changed', 'Quote.Status.Changed']
  assert.deepEqual(await fields({ url: 'https://hooks.test', events }, 422, 'webhook_event_unknown'), [
    ['/events/0', 'webhook_event_unknown'],
    ['/events/2', 'webhook_event_unknown'],
  ])
})

test('a list of events that is empty, too long or has duplicates is rejected', async () => {
  const url = 'https://hooks.test'
  const twice = ['quote.status.changed', 'quote.status.changed']
  assert.deepEqual(await fields({ url, events: twice }, 422, 'validation_failed'), [['/events/1', 'duplicate_item']])
  assert.deepEqual(await fields({ url, events: [] }, 422, 'validation_failed'), [['/events', 'too_short']])
  assert.deepEqual(await fields({ url, events: [...everyEvent, 'quote.status.changed'] }, 422, 'validation_failed'), [
    ['/events', 'too_long'],
  ])
})

test('a registration with an invalid URL and invalid events returns validation_failed and names both', async () => {
  for (const [url, code] of [
    ['http://hooks.test', 'webhook_url_not_allowed'],
    ['https://nowhere.test', 'webhook_url_unreachable'],
  ] as const)
    assert.deepEqual(await fields({ url, events: ['nope'] }, 422, 'validation_failed'), [
      ['/events/0', 'webhook_event_unknown'],
      ['/url', code],
    ])
})

test("a partner's twenty-first webhook returns too_many_webhooks; other partners can still register", async () => {
  const full = await connectAnotherPartner(service)
  const body = { url: 'https://hooks.test', events: ['quote.status.changed'] }
  const responses = await Promise.all(
    Array.from({ length: 21 }, (_, index) => full.post('/Webhooks', { ...body, url: `https://hooks.test/${index}` })),
  )
  assert.equal(responses.filter(({ status }) => status === 200).length, 20)
  rejected(await full.post('/Webhooks', body), 422, 'too_many_webhooks')
  succeeded(await register(body))
})

test('simultaneous registrations stop at five for a URL, however it is written', async () => {
  const own = await connectAnotherPartner(service)
  const urls = [
    'https://hooks.test/in',
    'https://HOOKS.test:443/in',
    'https://hooks.test./in#a',
    'https://h%6foks.test/in',
  ]
  const send = (url: string) => own.post('/Webhooks', { url, events: ['quote.status.changed'] })
  const responses = await Promise.all([...urls, ...urls, ...urls].map(send))
  assert.equal(responses.filter(({ status }) => status === 200).length, 5)
  const { detail } = rejected(await send('https://hooks.test/in'), 422, 'too_many_webhooks')
  assert.match(detail, /limit of 5 webhooks with the same URL/)
  succeeded(await send('https://hooks.test/other'))
})
