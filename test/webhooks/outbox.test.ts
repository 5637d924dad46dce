import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { type DomainEvent, noLabels } from '../../src/events/event.ts'
import { recordEvent } from '../../src/events/record-event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { dispatch } from './dispatching-worker-fixture.ts'
import { dependenciesOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { type MarkedEvent, openLab, statusChanges } from './webhook-fixture.ts'

test('recordEvent stores the documented payload of every kind of event, and nothing else', async (t) => {
  const lab = await openLab(t)
  const about = { quoteId: 'quote_1', ...noLabels } as const
  const events: MarkedEvent[] = [
    { type: 'quote.status.changed', data: { ...about, previousStatus: null, status: 'draft', reason: null } },
    {
      type: 'customer.payment.updated',
      data: { customerId: 'tenant_1', ...about, previousPaymentStatus: 'not_started', paymentStatus: 'ready' },
    },
    {
      type: 'customer.status.changed',
      data: {
        customerId: 'tenant_1',
        ...about,
        previousStatus: 'active',
        status: 'PersonalInfoComplete',
        reason: null,
      },
    },
  ]
  const overfull = events.map((event) => ({
    ...event,
    data: { email: 'a@example.com', ...event.data, reference: 'R 1' },
  })) as DomainEvent[]
  for (const event of overfull)
    await inTransaction(dependenciesOf(lab).db, {}, (tx) => recordEvent(tx, lab.caller, event))
  const rows = await lab.rows('select data::text, partner_id, quote_id, type from events order by event_number')
  assert.deepEqual(
    rows,
    events.map(({ type, data }) => ({
      data: JSON.stringify(data),
      partner_id: lab.caller.partnerId,
      quote_id: 'quote_1',
      type,
    })),
  )
})

test("recordEvent uses real time even if the partner's sandbox clock runs ahead", async (t) => {
  const lab = await openLab(t)
  await lab.happen(statusChanges(1), { ...lab.caller, now: new Date('2036-01-01T00:00:00Z') })
  const [row] = await lab.rows('select abs(extract(epoch from occurred_at - now())) < 3600 as is_now from events')
  assert.equal(row?.is_now, true)
})

test('after committing events, a process notifies the others, with one notification for several commits', async (t) => {
  const lab = await openLab(t)
  const listener = new Client({ connectionString: lab.connectionString })
  // If the test fails, the database is dropped while this client is connected, which causes an error.
  listener.on('error', () => undefined)
  await listener.connect()
  const heard: string[] = []
  listener.on('notification', ({ payload = '' }) => {
    const [, kinds = ''] = payload.split(' ')
    if (kinds !== '') heard.push(kinds)
  })
  await listener.query('listen housebill_webhooks')
  lab.startWorker()
  await inTransaction(dependenciesOf(lab).db, {}, async (tx) => {
    await recordEvent(tx, lab.caller, statusChanges(1)[0] as DomainEvent)
    // When this notification arrives, all earlier ones have arrived too.
    await lab.rows(`select pg_notify('housebill_webhooks', 'test marker')`)
    await waitFor('the marker arrives', () => heard.includes('marker'))
    assert.deepEqual(heard, ['marker'])
  })
  await waitFor('the commit is announced', () => heard.includes('events'))
  const before = heard.length
  await Promise.all(Array.from({ length: 5 }, () => lab.happen(statusChanges(4))))
  await waitFor('the later events are announced', () => heard.length > before)
  await lab.rows(`select pg_notify('housebill_webhooks', 'test end')`)
  await waitFor('the end arrives', () => heard.includes('end'))
  assert.ok(heard.length - before < 20, 'fewer notifications than events')
  await listener.end()
})

test('an event without a notification is found by polling', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await waitFor('it is verified', () => receiver.received.length === 1)
  // Inserted without any notification.
  await lab.rows(
    `insert into events (event_id, partner_id, quote_id, type, data)
     values ('event_unannounced', $1, 'quote_1', $2, $3)`,
    [lab.caller.partnerId, 'quote.status.changed', JSON.stringify(statusChanges(1, 'quote_1')[0]?.data)],
  )
  await waitFor('it arrives', () => receiver.events().length === 1)
})

test('dispatch continues in order until no event is left, even if there are more than fit in a batch', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  await lab.happen([...statusChanges(4, 'quote_1'), ...statusChanges(3, 'quote_2')])
  assert.deepEqual(
    [
      (await dispatch(lab, 3)).events,
      (await dispatch(lab, 3)).events,
      (await dispatch(lab, 3)).events,
      (await dispatch(lab, 3)).events,
    ],
    [3, 3, 1, 0],
  )
  const rows = await lab.rows('select quote_id from delivery_queue where in_order order by next_attempt_at')
  assert.deepEqual(
    rows.map(({ quote_id }) => quote_id),
    ['quote_1', 'quote_1', 'quote_1', 'quote_1', 'quote_2', 'quote_2', 'quote_2'],
  )
})
