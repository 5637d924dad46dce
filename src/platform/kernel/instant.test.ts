import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isInstant, readInstant } from './instant.ts'

test('an instant in any form that RFC 3339 allows is parsed', () => {
  for (const [text, expected] of [
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20t09:00:00z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20 09:00:00.5Z', '2026-11-20T09:00:00.500Z'],
    ['2026-11-20T09:00:00.123456789Z', '2026-11-20T09:00:00.123Z'],
    ['2026-11-20T09:00:00+05:30', '2026-11-20T03:30:00.000Z'],
    ['2026-11-20T09:00:00-00:00', '2026-11-20T09:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ] as const)
    assert.equal(readInstant(text)?.toISOString(), expected, text)
})

test('a leap second becomes the second before it', () => {
  assert.equal(readInstant('2016-12-31T23:59:60Z')?.toISOString(), '2016-12-31T23:59:59.000Z')
  assert.equal(readInstant('1990-12-31T15:59:60-08:00')?.toISOString(), '1990-12-31T23:59:59.000Z')
})

test('malformed and ambiguous instants are rejected', () => {
  for (const text of [
    '',
    '2026-11-20',
    '2026-11-20T09:00:00',
    '2026-11-20T09:00Z',
    '2026-11-20T09:00:00+01',
    '2026-11-20T09:00:00Z[Europe/London]',
    '2026-02-29T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T09:00:00.1234567890Z',
    '+012026-11-20T09:00:00Z',
    '2026-11-20T09:00:00Z ',
  ])
    assert.equal(readInstant(text), undefined, text)
})

test('any instant with a four-digit year survives a round trip', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(fc.property(dates, (date) => assert.equal(readInstant(date.toISOString())?.getTime(), date.getTime())))
})

test('any text accepted as an instant gives a valid Date', () => {
  const texts = fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-6]\d:[0-6]\d(\.\d{1,10})?(Z|[+-]\d\d:\d\d)$/)
  fc.assert(
    fc.property(texts, (text) =>
      assert.equal(isInstant(text), Number.isFinite((readInstant(text) ?? new Date(Number.NaN)).getTime())),
    ),
  )
})
