import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf, type ListedEvent, listAll, waitForDeliveries } from '../support/deliveries.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const partner = await connectPartner(service.baseUrl, service.credentials)

const list = (own: Partner, query: Record<string, string> = {}) => listAll(own, '/Events', query)
const labels = (events: ListedEvent[]) =>
  events.map(({ data }) => ('status' in data ? data.status : 'paymentStatus' in data ? data.paymentStatus : ''))

test('a partner without events gets an empty list and a cursor for following new events', async () => {
  const own = await connectNewPartner(service)
  assert.deepEqual(succeeded(await own.get('/Events')), { data: [], nextCursor: null })
  const { data, nextCursor } = succeeded(await own.get('/Events?order=oldest'))
  assert.deepEqual(data, [])
  assert.equal(typeof nextCursor, 'string')
})

test('a partner sees only its own events, newest first and exactly as delivered, whether or not it has a webhook', async (t) => {
  const own = await connectNewPartner(service)
  await createQuote(own, { reference: 'before any webhook' })
  const receiver = await startReceiver(t)
  const url = `https://127.0.0.1:${receiver.port}/`
  succeeded(await own.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await startHousehold(own, { reference: 'r-2' })
  const events = await eventsOf(own, 4)
  assert.deepEqual(labels(events), ['TenantsAdded', 'PackagesSelected', 'draft', 'draft'])
  assert.equal(events[3]?.data.reference, 'before any webhook')
  await waitFor(
    'three events arrive',
    async () => receiver.events(),
    (found) => found.length === 3,
  )
  for (const { message, body } of receiver.events())
    assert.equal(JSON.stringify(events.find(({ id }) => id === message.id)), body)
  assert.deepEqual(await list(await connectNewPartner(service)), [])
})

test('events in either order can be filtered by type, quote and time, separately and combined', async () => {
  const own = await connectNewPartner(service)
  const first = await startHousehold(own)
  succeeded(await finalise(own, first.lead))
  const second = await createQuote(own)
  await eventsOf(own, 5)
  await rawRows(service, `update events set occurred_at = occurred_at - interval '2 hours' where quote_id = $1`, [
    first.quoteId,
  ])
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  for (const order of ['newest', 'oldest']) {
    const found = async (query: Record<string, string>) => {
      const { data } = succeeded(await own.get(`/Events?${new URLSearchParams({ order, ...query })}`))
      return labels(order === 'newest' ? data.reverse() : data)
    }
    assert.deepEqual(await found({ type: 'customer.status.changed' }), ['PersonalInfoComplete'])
    assert.deepEqual(await found({ type: 'customer.payment.updated' }), [])
    assert.deepEqual(await found({ quoteId: second.quoteId }), ['draft'])
    assert.deepEqual(await found({ quoteId: first.quoteId, type: 'quote.status.changed' }), [
      'draft',
      'PackagesSelected',
      'TenantsAdded',
    ])
    assert.deepEqual(await found({ createdAfter: hourAgo }), ['draft'])
    assert.deepEqual(await found({ createdBefore: hourAgo, type: 'customer.status.changed' }), ['PersonalInfoComplete'])
    assert.equal((await found({ createdBefore: hourAgo })).length, 4)
    assert.deepEqual(await found({ createdAfter: hourAgo, quoteId: first.quoteId }), [])
    assert.deepEqual(await found({ quoteId: 'quote_of_nobody' }), [])
  }
  const [latest] = await list(own)
  assert.ok(latest)
  assert.equal((await list(own, { createdAfter: latest.timestamp }))[0]?.id, latest.id, 'createdAfter is inclusive')
  assert.notEqual(
    (await list(own, { createdBefore: latest.timestamp }))[0]?.id,
    latest.id,
    'createdBefore is exclusive',
  )
})

test('pages read by cursor, newest first, have no gaps or repetitions while events are added', async () => {
  const own = await connectNewPartner(service)
  for (let count = 0; count < 5; count += 1) await createQuote(own)
  const known = (await eventsOf(own, 5)).map(({ id }) => id)
  const first = succeeded(await own.get('/Events?limit=2'))
  await createQuote(own)
  await eventsOf(own, 6)
  const second = succeeded(await own.get(`/Events?limit=2&order=newest&cursor=${first.nextCursor}`))
  const third = succeeded(await own.get(`/Events?limit=2&cursor=${second.nextCursor}`))
  assert.equal(third.nextCursor, null)
  const seen = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id))
  assert.deepEqual(seen, known)
})

const encoded = (place: string) => Buffer.from(place).toString('base64url')

test('a cursor that is malformed or from a list in the other order returns 422', async () => {
  for (const query of [
    'cursor=nonsense',
    `cursor=${encoded('oldest.-1')}`,
    `cursor=${encoded('oldest.event_1')}`,
    `cursor=${encoded('quote_01h455vb4pex5vsknk084sn02q')}`,
    `order=newest&cursor=${encoded('oldest.event_01h455vb4pex5vsknk084sn02q')}`,
    `order=oldest&cursor=${encoded('newest.event_01h455vb4pex5vsknk084sn02q')}`,
  ])
    assert.deepEqual(invalidFields(rejected(await partner.get(`/Events?${query}`), 422, 'validation_failed')), [
      ['/query/cursor', 'wrong_format'],
    ])
})

test('a cursor names an event of the partner itself, whatever other partners do, and no position can be tried out', async () => {
  const own = await connectNewPartner(service)
  const other = await connectNewPartner(service)
  const decoded = async (query: string) => {
    const { nextCursor } = succeeded(await own.get(`/Events?${query}`))
    return Buffer.from(nextCursor?.split('.')[0] ?? '', 'base64url').toString()
  }
  assert.equal(await decoded('order=oldest'), 'oldest.start')
  await createQuote(own)
  const [first] = await eventsOf(own, 1)
  for (let count = 0; count < 3; count += 1) await createQuote(other)
  await eventsOf(other, 3)
  assert.equal(await decoded('order=oldest'), `oldest.${first?.id}`)
  await createQuote(own)
  const [second] = await eventsOf(own, 2)
  assert.equal(await decoded('limit=1'), `newest.${second?.id}`)

  const rows = await rawRows(service, 'select position from events where event_id = $1', [first?.id])
  const old = rejected(
    await own.get(`/Events?cursor=${encoded(`oldest.${rows[0]?.position}`)}`),
    422,
    'validation_failed',
  )
  assert.deepEqual(invalidFields(old), [['/query/cursor', 'wrong_format']])
  assert.match(old.detail, /start again without a cursor/)
})

test('an event read by id is the same as in the list, with its members in the order of the delivered message', async () => {
  const { quoteId } = await createQuote(partner, { reference: 'r-1' })
  const [event] = await waitFor(
    'the event is listed',
    () => listAll(partner, '/Events', { quoteId }),
    ({ length }) => length === 1,
  )
  assert.ok(event)
  const response = await partner.get(`/Events/${event.id}`)
  assert.deepEqual(succeeded(response), event)
  const data = {
    quoteId,
    reference: 'r-1',
    branch: null,
    soldBy: null,
    previousStatus: null,
    status: 'draft',
    reason: null,
  }
  assert.equal(
    response.text,
    JSON.stringify({ id: event.id, type: 'quote.status.changed', timestamp: event.timestamp, data }),
  )
})

const slowService = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '3600' })
after(() => slowService.stop())

const register = async (own: Partner, port: number, events = ['quote.status.changed']) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events })).webhookId

const deliveriesOfEvent = async (own: Partner, eventId: string) =>
  succeeded(await own.get(`/Events/${eventId}/deliveries` as const)).data

/** Creates a quote and returns the id of its event. */
async function newEvent(own: Partner): Promise<string> {
  await createQuote(own)
  return (await eventsOf(own))[0]?.id ?? ''
}

test("the deliveries of an event include every subscribed webhook, with the same fields as in each webhook's own list", async (t) => {
  const own = await connectNewPartner(slowService)
  const [well, failing] = [await startReceiver(t), await startReceiver(t, 503)]
  const first = await register(own, well.port)
  await register(own, well.port, ['customer.status.changed'])
  const second = await register(own, failing.port)
  const eventId = await newEvent(own)
  const found = await waitFor(
    'both deliveries were attempted',
    () => deliveriesOfEvent(own, eventId),
    (deliveries) => deliveries.every(({ attemptCount }) => attemptCount === 1) && deliveries.length === 2,
  )
  assert.deepEqual(
    found.map(({ webhookId, messageId, status }) => [webhookId, messageId, status]),
    [
      [first, eventId, 'delivered'],
      [second, eventId, 'pending'],
    ],
  )
  for (const delivery of found) {
    const listed = await waitForDeliveries(own, delivery.webhookId, () => true)
    assert.deepEqual(
      listed.find(({ deliveryId }) => deliveryId === delivery.deliveryId),
      delivery,
    )
  }
})

test('the deliveries of an event are an empty list if no webhook is subscribed to it', async () => {
  const own = await connectNewPartner(slowService)
  assert.deepEqual(await deliveriesOfEvent(own, await newEvent(own)), [])
})

test('the deliveries of an event no longer include the delivery to a webhook that was deleted', async (t) => {
  const own = await connectNewPartner(slowService)
  const receiver = await startReceiver(t)
  const [kept, gone] = [await register(own, receiver.port), await register(own, receiver.port)]
  const eventId = await newEvent(own)
  await waitFor(
    'both deliveries are listed',
    () => deliveriesOfEvent(own, eventId),
    ({ length }) => length === 2,
  )
  succeeded(await own.delete(`/Webhooks/${gone}`))
  const left = await deliveriesOfEvent(own, eventId)
  assert.deepEqual(
    left.map(({ webhookId }) => webhookId),
    [kept],
  )
})
