import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/events/event.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { receivers, withoutFailingSince } from './webhook-names.ts'

const service = await shareTestService({}, { receivers })
const partner = await connectPartner(service.baseUrl, service.credentials)
const everyEvent = [...eventTypes]

async function register(own: Partner = partner) {
  const body = { url: 'https://hooks.test/in', events: ['quote.status.changed'] }
  const { secret: _shownOnce, ...webhook } = succeeded(await own.post('/Webhooks', body))
  return webhook
}
const { webhookId: unchangedId } = await register()
const fields = async (body: unknown, status: number, code: string) =>
  invalidFields(rejected(await partner.patch(`/Webhooks/${unchangedId}`, body), status, code))

test('changing any one field returns and stores the change and keeps the other fields', async () => {
  const webhook = await register()
  const path = `/Webhooks/${webhook.webhookId}` as const
  let expected: Record<string, unknown> & { failingSince: unknown } = webhook
  for (const [change, follows] of [
    [{ events: everyEvent }, {}],
    [{ url: 'https://hooks.test:8443/other' }, { verification: 'pending' }],
    [{ status: 'disabled' }, { disabledReason: 'You disabled it.', verification: 'failed' }],
    [{ status: 'active' }, { disabledReason: null, verification: 'pending' }],
    [
      { status: 'disabled', events: ['customer.status.changed'] },
      { disabledReason: 'You disabled it.', verification: 'failed' },
    ],
  ] as const) {
    expected = { ...expected, ...change, ...follows }
    const response = await partner.patch(path, change)
    const { disabledAt } = succeeded(response)
    assert.equal(disabledAt !== null, expected.status === 'disabled')
    expected = { ...expected, disabledAt }
    assert.deepEqual(withoutFailingSince(succeeded(response)), withoutFailingSince(expected))
    assert.deepEqual(withoutFailingSince(succeeded(await partner.get(path))), withoutFailingSince(expected))
    assert.equal(response.text.includes('whsec_'), false)
  }
})

test('a change that is repeated or already in effect returns the same response, whatever its idempotency key', async () => {
  const { webhookId } = await register()
  const change = { events: everyEvent, status: 'disabled' }
  const headers = { 'Idempotency-Key': 'ignored, even with spaces' }
  const first = await partner.patch(`/Webhooks/${webhookId}`, change, { headers })
  const second = await partner.patch(`/Webhooks/${webhookId}`, change, { headers })
  assert.ok(Math.abs(Date.parse(String(succeeded(first).disabledAt)) - Date.now()) < 60_000)
  assert.deepEqual(withoutFailingSince(succeeded(second)), withoutFailingSince(succeeded(first)))
  assert.equal(second.headers.get('idempotent-replayed'), null)
})

test('a webhook cannot move to a URL that five others have; it can keep that URL, and other changes are not affected', async () => {
  const own = await connectAnotherPartner(service)
  const first = await register(own)
  for (let count = 1; count < 5; count++) await register(own)
  const body = { url: 'https://hooks.test/elsewhere', events: everyEvent }
  const { webhookId } = succeeded(await own.post('/Webhooks', body))
  const full = rejected(await own.patch(`/Webhooks/${webhookId}`, { url: first.url }), 422, 'too_many_webhooks')
  assert.match(full.detail, /5 webhooks with the same URL/)
  assert.equal(succeeded(await own.get(`/Webhooks/${webhookId}`)).url, body.url)
  succeeded(await own.patch(`/Webhooks/${first.webhookId}`, { url: first.url, events: everyEvent }))
  succeeded(await own.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
})

test('an unknown status returns validation_failed', async () => {
  for (const status of ['enabled', 'Active', ''])
    assert.deepEqual(await fields({ status }, 422, 'validation_failed'), [['/status', 'not_allowed']])
})

test('a URL and a list of events are checked just as in a registration', async () => {
  assert.deepEqual(await fields({ events: [] }, 422, 'validation_failed'), [['/events', 'too_short']])
  assert.deepEqual(await fields({ events: ['quote.created'] }, 422, 'webhook_event_unknown'), [
    ['/events/0', 'webhook_event_unknown'],
  ])
  assert.deepEqual(await fields({ url: 'https://private.test' }, 422, 'webhook_url_not_allowed'), [
    ['/url', 'webhook_url_not_allowed'],
  ])
  assert.deepEqual(await fields({ url: 'https://nowhere.test', events: ['nope'] }, 422, 'validation_failed'), [
    ['/events/0', 'webhook_event_unknown'],
    ['/url', 'webhook_url_unreachable'],
  ])
  assert.deepEqual(await fields({ url: 'http://hooks.test', events: ['nope'], extra: 1 }, 400, 'invalid_request'), [
    ['/events/0', 'webhook_event_unknown'],
    ['/extra', 'unknown_field'],
    ['/url', 'webhook_url_not_allowed'],
  ])
})

test('a change with any invalid part changes nothing', async () => {
  const webhook = await register()
  const path = `/Webhooks/${webhook.webhookId}` as const
  rejected(
    await partner.patch(path, { status: 'disabled', url: 'https://private.test' }),
    422,
    'webhook_url_not_allowed',
  )
  assert.deepEqual(withoutFailingSince(succeeded(await partner.get(path))), withoutFailingSince(webhook))
})

test('simultaneous changes to one webhook all take effect', async () => {
  const { webhookId } = await register()
  const path = `/Webhooks/${webhookId}` as const
  const responses = await Promise.all([
    partner.patch(path, { url: 'https://hooks.test/elsewhere' }),
    partner.patch(path, { events: everyEvent }),
    partner.patch(path, { status: 'disabled' }),
  ])
  for (const response of responses) succeeded(response)
  const { url, events, status } = succeeded(await partner.get(path))
  assert.deepEqual(
    { url, events, status },
    { url: 'https://hooks.test/elsewhere', events: everyEvent, status: 'disabled' },
  )
})
