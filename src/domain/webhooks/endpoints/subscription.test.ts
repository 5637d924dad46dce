import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../events/event.ts'
import { checkEvents } from './subscription.ts'

test('checkEvents, given 1 to 3 distinct events, keeps them in the partner’s order', () => {
  const reversed = eventTypes.toReversed()
  assert.deepEqual(checkEvents(reversed), { events: reversed, errors: [] })
  assert.deepEqual(checkEvents(['customer.status.changed']).events, ['customer.status.changed'])
})

test('checkEvents, given unknown and repeated events, points at every one of them', () => {
  const { errors } = checkEvents([
    'quote.changed',
    'quote.status.changed',
    'Quote.Status.Changed',
    'quote.status.changed',
    '',
  ])
  assert.deepEqual(
    errors.map(({ pointer, code }) => [pointer, code]),
    [
      ['/events/0', 'webhook_event_unknown'],
      ['/events/2', 'webhook_event_unknown'],
      ['/events/3', 'duplicate_item'],
      ['/events/4', 'webhook_event_unknown'],
    ],
  )
  for (const { detail } of errors.filter(({ code }) => code === 'webhook_event_unknown'))
    assert.match(detail, /quote\.status\.changed/)
})

test('checkEvents, given an empty list, requires at least one', () => {
  assert.deepEqual(
    checkEvents([]).errors.map(({ pointer, code }) => [pointer, code]),
    [['/events', 'too_short']],
  )
})
