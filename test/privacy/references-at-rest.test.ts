import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { readDatabaseContents } from '../support/database-contents.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { findProperty, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { respondToEvents, startReceiver } from '../webhooks/receiver-fixture.ts'
import { findOccurrences } from './decrypted-contents.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** A partner may well use names, and texts that mean something to JSON, SQL or a replacement. */
const reference = `flat of "Zabriskovich" & $& '%_ ö`
const plain = ['Zabriskovich', Buffer.from('Zabriskovich').toString('base64url').slice(0, 14)]

const found = async (by: Partner, wanted: string) =>
  succeeded(await by.get(`/Quotes?reference=${encodeURIComponent(wanted)}`)).data.map(({ quoteId }) => quoteId)

test("after a whole journey, no table contains the partner's reference in plain text, and the partner still gets it everywhere", async (t) => {
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => response.writeHead(count % 3 === 0 ? 500 : 200).end('ok')),
  )
  const webhook = { url: `https://127.0.0.1:${receiver.port}/`, events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  const created = await partner.post(
    '/Quotes',
    { addressUid, packages: ['electricity'], reference },
    { headers: { 'Idempotency-Key': 'one' } },
  )
  const { quoteId } = succeeded(created)
  const named = { name: 'Ada Lovelace', email: 'ada@example.com' }
  const { tenants } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [named] }))
  const [{ tenantId: customerId } = assert.fail('no tenant')] = tenants
  await onboard(partner, customerId)
  succeeded(await partner.post(`/Sandbox/customers/${customerId}/collect`))

  const events = await eventsOf(partner, 8)
  assert.ok(events.length >= 8 && events.every(({ data }) => data.reference === reference))
  const [oldest] = events.slice(-1)
  assert.equal(succeeded(await partner.get(`/Events/${oldest?.id}`)).data.reference, reference)
  const deliveries = await waitForDeliveries(
    partner,
    webhookId,
    (all) => all.length >= 4 && all.every(({ status }) => status !== 'pending'),
  )
  for (const { deliveryId, eventType } of deliveries.filter(({ eventType }) => eventType !== 'webhook.verification')) {
    const { body } = succeeded(await partner.get(`/Deliveries/${deliveryId}`))
    assert.equal(JSON.parse(body).data.reference, reference, eventType)
  }
  assert.ok(receiver.events().length >= 4)
  for (const { body, message } of receiver.events()) {
    assert.equal(message.data.reference, reference)
    assert.equal(body, JSON.stringify(message), 'the members keep their order')
  }
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).reference, reference)
  const exported = succeeded(await partner.get(`/Customers/${customerId}/export`))
  assert.ok(exported.events.length > 0 && exported.events.every(({ data }) => Object(data).reference === reference))
  const repeated = await partner.post(
    '/Quotes',
    { addressUid, packages: ['electricity'], reference },
    { headers: { 'Idempotency-Key': 'one' } },
  )
  assert.equal(repeated.text, created.text)

  const contents = await readDatabaseContents(service.connectionString)
  assert.ok((contents.get('public.events') ?? '').includes(quoteId))
  assert.deepEqual(findOccurrences(contents, plain), [])
})

test('quotes are found by exactly their reference, and equal references of two partners look different in the database', async () => {
  const other = await connectNewPartner(service)
  const own = await startHousehold(partner, { tenants: 1, reference: 'order 1' })
  const others = await startHousehold(other, { tenants: 1, reference: 'order 1' })
  assert.deepEqual(await found(partner, 'order 1'), [own.quoteId])
  assert.deepEqual(await found(other, 'order 1'), [others.quoteId])
  for (const wanted of ['order', 'Order 1', 'order 1 ', 'order 2']) assert.deepEqual(await found(partner, wanted), [])
  const [first, second] = await rawRows(service, 'select reference_hash as hash from quotes where quote_id = any($1)', [
    [own.quoteId, others.quoteId],
  ])
  assert.ok(first?.hash && second?.hash && first.hash !== second.hash)
})
