import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noLabels } from '../../src/events/event.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { dispatch, leaseAll } from './dispatching-worker-fixture.ts'
import { type MarkedEvent, openLab } from './webhook-fixture.ts'

const limits = { slots: 500, perWebhook: 500 }

const change = (quoteId: Id<'quote'>, reference: string): MarkedEvent => ({
  type: 'quote.status.changed',
  data: { quoteId, ...noLabels, reference, previousStatus: null, status: 'draft', reason: null },
})

test('the body of a message is exactly the JSON of its event, whatever the reference and time, also when its delivery is leased again', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  await lab.rows('delete from delivery_queue')
  const references = ['"', '\\', '\\"', '\n\t\u0000', '\u2028', 'ä😀', "'; --", '\ud800', '{"a":1}', '']
  const events = references.map((reference, index) => change(`quote_${index}`, reference))
  await lab.happen(events)
  // Times between two milliseconds, and at the boundaries of a second and a year.
  await lab.rows(`
    update events set occurred_at = case event_number % 4
      when 0 then '2026-12-31 23:59:59.999999Z'::timestamptz when 1 then '2027-01-01 00:00:00Z'
      when 2 then '2027-03-28 01:00:00.0005Z' else now() end`)

  await dispatch(lab, 1_000)
  const leased = await leaseAll(lab, limits)
  const stored = await lab.rows('select event_id, occurred_at from events order by event_number')
  const expected = stored.map(({ event_id, occurred_at }, index) => {
    const data = { ...events[index]?.data }
    return JSON.stringify({ id: event_id, type: 'quote.status.changed', timestamp: occurred_at, data })
  })
  assert.deepEqual(
    leased.map(({ body }) => body),
    expected,
  )

  await lab.rows('update delivery_queue set leased_until = now()')
  const again = await leaseAll(lab, limits)
  assert.deepEqual(again.map(({ body }) => body).sort(), expected.sort())
})
