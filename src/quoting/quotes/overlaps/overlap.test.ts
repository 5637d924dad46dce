import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate } from '../../../platform/kernel/dates.ts'
import { coveredTwice, type PropertyCover } from './overlap.ts'

const cover = (
  quote: string,
  startsOn: string,
  lastDay: string,
  changes: Partial<PropertyCover> = {},
): PropertyCover => ({
  addressUid: 'address_1',
  mpan: null,
  mprn: null,
  partnerId: 'partner_1',
  quoteId: `quote_${quote}`,
  startsOn: isoDate(startsOn),
  lastDay: isoDate(lastDay),
  services: ['electricity', 'gas'],
  ...changes,
})
const first = cover('1', '2027-01-01', '2027-06-30')
const twice = (...covers: PropertyCover[]) => coveredTwice(covers).map(({ quoteId }) => quoteId)

test('two quotes with a day, a service and the property in common are both listed, whoever their partners are', () => {
  const other = { partnerId: 'partner_2' } as const
  assert.deepEqual(twice(first, cover('2', '2027-06-30', '2027-12-31', other)), ['quote_1', 'quote_2'])
})

test('quotes that only follow each other, or share no service or property, are not listed', () => {
  assert.deepEqual(twice(first, cover('2', '2027-07-01', '2027-12-31')), [])
  assert.deepEqual(twice(first, cover('2', '2027-01-01', '2027-12-31', { services: ['broadband'] })), [])
  assert.deepEqual(twice(first, cover('2', '2027-01-01', '2027-12-31', { addressUid: 'address_2' })), [])
})

test('quotes of two properties with the same meter point are both listed if both supply it', () => {
  const other = { addressUid: 'address_2' }
  const [mpan, mprn] = ['1012345678901', '1234567890']
  const here = { ...first, mpan, mprn }
  assert.deepEqual(twice(here, cover('2', '2027-01-01', '2027-12-31', { ...other, mpan })), ['quote_1', 'quote_2'])
  assert.deepEqual(twice(here, cover('2', '2027-01-01', '2027-12-31', { ...other, mprn })), ['quote_1', 'quote_2'])
  const gasOnly = { ...other, mpan, services: ['gas'] } as const
  assert.deepEqual(twice(here, cover('2', '2027-01-01', '2027-12-31', { ...gasOnly, services: ['gas'] })), [])
})

const days = fc.tuple(fc.nat(40), fc.nat(20))
test('a quote is listed exactly if another one has a day in common with it', () => {
  fc.assert(
    fc.property(fc.array(days, { maxLength: 8 }), (periods) => {
      const start = isoDate('2027-01-01')
      const covers = periods.map(([offset, length], index) =>
        cover(String(index), addDays(start, offset), addDays(start, offset + length)),
      )
      const daysOf = ([offset, length]: [number, number]) =>
        Array.from({ length: length + 1 }, (_, day) => offset + day)
      const expected = covers.filter((_, index) => {
        const own = new Set(daysOf(periods[index] ?? [0, 0]))
        return periods.some((other, place) => place !== index && daysOf(other).some((day) => own.has(day)))
      })
      assert.deepEqual(coveredTwice(covers), expected)
    }),
  )
})
