import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../events/event.ts'
import { checkEvents } from './subscription.ts'

test('checkEvents keeps any number of distinct events in the partner’s order', () => {
  const reversed = eventTypes.toReversed()
  assert.deepEqual(checkEvents(reversed), { events: reversed, errors: [] })
  assert.deepEqual(checkEvents(['customer.status.changed']).events, ['customer.status.changed'])
})

test('checkEvents returns a pointer to each unknown or repeated event', () => {
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

test('checkEvents rejects an empty list', () => {
  assert.deepEqual(
    checkEvents([]).errors.map(({ pointer, code }) => [pointer, code]),
    [['/events', 'too_short']],
  )
})
