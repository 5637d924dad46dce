import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DomainEvent, type EventType, eventTypes } from '../../src/events/event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { listEvents } from '../../src/webhooks/event-log/list-events.ts'
import type { EventCursor, LoggedEvent } from '../../src/webhooks/event-log/logged-event.ts'
import { dispatch } from './dispatching-worker-fixture.ts'
import { dependenciesOf } from './life-cycle-fixture.ts'
import { type MarkedEvent, openLab, recordMarked, statusChanges, type WebhookLab } from './webhook-fixture.ts'

interface Wish {
  types?: readonly EventType[]
  limit?: number
}

/** Makes one of the repeated calls with which a partner follows its events. */
async function follow(
  lab: WebhookLab,
  cursor: EventCursor | undefined,
  { types = eventTypes, limit = 100 }: Wish = {},
) {
  const { events, next } = await listEvents(dependenciesOf(lab), lab.caller, {
    types,
    quoteId: undefined,
    createdAfter: undefined,
    createdBefore: undefined,
    order: 'oldest',
    cursor,
    limit,
  })
  assert(next !== null)
  return { events, next }
}

/** Reads on from this cursor until there are no more events. */
async function catchUp(lab: WebhookLab, cursor: EventCursor | undefined, request: Wish = {}) {
  const seen: LoggedEvent[] = []
  let position = cursor
  for (;;) {
    const { events, next } = await follow(lab, position, request)
    seen.push(...events)
    position = next
    if (events.length === 0) return { seen, next }
  }
}

const steps = (events: readonly LoggedEvent[]) => events.map(({ data }) => data.reference)
const [firstStep] = statusChanges(1) as [MarkedEvent]

test('an event with a low number that is committed late is listed after those that were already read', async (t) => {
  const lab = await openLab(t)
  let commit: (() => void) | undefined
  let written: (() => void) | undefined
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const slow = inTransaction(dependenciesOf(lab).db, {}, async (tx) => {
    await recordMarked(tx, lab.caller, [firstStep])
    written?.()
    await new Promise<void>((resolve) => {
      commit = resolve
    })
  })
  await isWritten
  await lab.happen(statusChanges(2))
  await dispatch(lab, 100)
  const { events: early, next } = await follow(lab, undefined)
  assert.equal(early.length, 2)
  commit?.()
  await slow
  assert.deepEqual((await follow(lab, next)).events, [], 'not yet dispatched')
  await dispatch(lab, 100)
  const { events: late } = await follow(lab, next)
  assert.equal(late.length, 1)
  const [first] = await lab.rows('select event_id from events order by event_number limit 1')
  assert.equal(late[0]?.eventId, first?.event_id, 'the event listed late was written first')
  assert.ok(Number(late[0]?.position) > Number(early[1]?.position))
})

test('a partner that follows its events misses none and sees none twice while many transactions commit in any order', async (t) => {
  const lab = await openLab(t)
  const stranger = await lab.newPartner()
  let writing = true
  let open = 0
  const write = async (writer: number) => {
    const quoteId = newId('quote')
    const caller = writer === 4 ? stranger : lab.caller
    for (const event of statusChanges(12, quoteId)) {
      await inTransaction(dependenciesOf(lab, caller).db, {}, async (tx) => {
        await recordMarked(tx, caller, [event])
        open += 1
        await sleep(((writer * 7 + open * 13) % 5) * 6)
      })
    }
  }
  const dispatching = (async () => {
    while (writing || (await dispatch(lab, 3)).events > 0) (await dispatch(lab, 7)).events
  })()
  const seen: LoggedEvent[] = []
  let cursor: EventCursor | undefined
  const following = (async () => {
    while (writing) {
      const { events, next } = await follow(lab, cursor, { limit: 3 })
      seen.push(...events)
      cursor = next
    }
  })()
  await Promise.all([0, 1, 2, 3, 4].map(write))
  writing = false
  await Promise.all([dispatching, following])
  const rest = await catchUp(lab, cursor, { limit: 3 })
  seen.push(...rest.seen)

  const committed = await lab.rows('select event_id from events where partner_id = $1 order by event_number', [
    lab.caller.partnerId,
  ])
  assert.equal(committed.length, 48)
  assert.equal(seen.length, committed.length)
  assert.deepEqual(new Set(seen.map(({ eventId }) => eventId)), new Set(committed.map(({ event_id }) => event_id)))
  for (const quoteId of new Set(seen.map((event) => event.quoteId)))
    assert.deepEqual(
      steps(seen.filter((event) => event.quoteId === quoteId)),
      Array.from({ length: 12 }, (_, step) => `step ${step}`),
    )
})

test('the cursor of an empty page leads to later events and keeps the filter', async (t) => {
  const lab = await openLab(t)
  const ofCustomer = { customerId: 'tenant_1', quoteId: 'quote_1', reference: 'paid' } as const
  const paid: DomainEvent = {
    type: 'customer.payment.updated',
    data: { ...ofCustomer, previousPaymentStatus: 'ready', paymentStatus: 'paid' },
  }
  const request = { types: ['customer.payment.updated'] as const }
  const empty = await follow(lab, undefined, request)
  assert.deepEqual(empty.events, [])
  await lab.happen([...statusChanges(3), paid, ...statusChanges(2)])
  await dispatch(lab, 100)
  const { seen, next } = await catchUp(lab, empty.next, request)
  assert.deepEqual(steps(seen), ['paid'])
  const everything = await catchUp(lab, undefined)
  assert.equal(next.after, everything.next.after, 'the cursor has passed the events that the filter excludes')
})

test('a cursor is rejected if events after it were removed, but a later cursor still works', async (t) => {
  const lab = await openLab(t)
  await lab.happen(statusChanges(5))
  await dispatch(lab, 100)
  const { next: early } = await follow(lab, undefined, { limit: 2 })
  const { next: late } = await follow(lab, early, { limit: 2 })
  await lab.rows('delete from events where position <= (select max(position) - 2 from events)')
  await assert.rejects(
    follow(lab, early),
    (error) =>
      error instanceof DomainError &&
      error.code === 'validation_failed' &&
      /30 days/.test(error.message) &&
      error.fields[0]?.pointer === '/query/cursor',
  )
  assert.deepEqual(steps((await follow(lab, late)).events), ['step 4'])
  assert.deepEqual(steps((await follow(lab, undefined)).events), ['step 3', 'step 4'])
  const { next: last } = await follow(lab, late)
  await lab.rows('delete from events')
  assert.deepEqual(
    await follow(lab, last),
    { events: [], next: last },
    'a partner that has read everything misses nothing',
  )
  assert.deepEqual(await follow(lab, undefined), { events: [], next: last }, 'nor does one that begins now')
  await lab.happen([firstStep])
  await dispatch(lab, 100)
  const begun = await follow(lab, last)
  assert.deepEqual(
    begun.events.map(({ position }) => position),
    ['6'],
    'positions are not reused',
  )
})
