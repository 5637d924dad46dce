import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import { type ContractDates, chooseContractDates, moveContractDates } from './contract-dates.ts'

const today = isoDate('2026-12-20')

function choose(start?: string, end?: string, on = today): ContractDates {
  return chooseContractDates({
    today: on,
    ...(start === undefined ? {} : { start: isoDate(start) }),
    ...(end === undefined ? {} : { end: isoDate(end) }),
  })
}

/** Returns the JSON pointers of the rejected fields. */
function rejectedFields(start?: string, end?: string): string[] {
  try {
    choose(start, end)
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'validation_failed')
    return error.fields.map(({ pointer }) => pointer)
  }
  return []
}

test('if neither date is sent, a contract starts in fourteen days and lasts twelve months', () => {
  assert.deepEqual(choose(), { start: '2027-01-03', end: '2028-01-02', startIsDefault: true, endIsDefault: true })
})

test('if only a start date is sent, the contract lasts twelve months from it, even from 29 February', () => {
  assert.deepEqual(choose('2027-01-15'), {
    start: '2027-01-15',
    end: '2028-01-14',
    startIsDefault: false,
    endIsDefault: true,
  })
  assert.equal(choose('2028-02-29', undefined, isoDate('2028-02-01')).end, '2029-02-27')
})

test('if only an end date is sent, the contract starts on the default day', () => {
  assert.deepEqual(choose(undefined, '2027-06-30'), {
    start: '2027-01-03',
    end: '2027-06-30',
    startIsDefault: true,
    endIsDefault: false,
  })
  assert.deepEqual(rejectedFields(undefined, '2027-02-01'), ['/contractEndDate'])
  assert.deepEqual(rejectedFields(undefined, '2027-02-02'), [])
})

test('a start date before today or over twelve months ahead is rejected', () => {
  assert.deepEqual(rejectedFields('2026-12-19'), ['/contractStartDate'])
  assert.deepEqual(rejectedFields('2026-12-20'), [])
  assert.deepEqual(rejectedFields('2027-12-20'), [])
  assert.deepEqual(rejectedFields('2027-12-21'), ['/contractStartDate'])
})

test('an end date is rejected if it makes the contract shorter than one month or longer than twenty-four', () => {
  assert.deepEqual(rejectedFields('2027-01-15', '2027-02-13'), ['/contractEndDate'])
  assert.deepEqual(rejectedFields('2027-01-15', '2027-02-14'), [])
  assert.deepEqual(rejectedFields('2027-01-15', '2027-03-09'), [])
  assert.deepEqual(rejectedFields('2027-01-15', '2029-01-14'), [])
  assert.deepEqual(rejectedFields('2027-01-15', '2029-01-15'), ['/contractEndDate'])
  assert.deepEqual(rejectedFields('2027-01-15', '2027-01-14'), ['/contractEndDate'])
})

test('a contract of one month that starts on 31 January ends on 27 February', () => {
  assert.deepEqual(rejectedFields('2027-01-31', '2027-02-27'), [])
  assert.deepEqual(rejectedFields('2027-01-31', '2027-02-26'), ['/contractEndDate'])
})

test('two invalid dates sent together are both reported', () => {
  assert.deepEqual(rejectedFields('2026-01-01', '2030-01-01'), ['/contractStartDate', '/contractEndDate'])
})

const dates = (start: string, end: string, startIsDefault: boolean, endIsDefault: boolean): ContractDates => ({
  start: isoDate(start),
  end: isoDate(end),
  startIsDefault,
  endIsDefault,
})

function throwsQuoteExpired(current: ContractDates, on: string): boolean {
  try {
    moveContractDates(current, isoDate(on))
    return false
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'quote_expired')
    assert.match(error.message, /less than a month/)
    assert.match(error.message, /new quote/)
    return true
  }
}

test('a start date that has not passed is not moved', () => {
  const current = dates('2027-01-03', '2028-01-02', true, true)
  assert.deepEqual(moveContractDates(current, isoDate('2027-01-03')), current)
})

test('a default start date that has passed is moved to fourteen days ahead, and a default end date moves with it', () => {
  const current = dates('2027-01-03', '2028-01-02', true, true)
  assert.deepEqual(moveContractDates(current, isoDate('2027-01-04')), dates('2027-01-18', '2028-01-17', true, true))
})

test('if a default start date is moved, a requested end date moves with it, so that the contract keeps its length', () => {
  const current = dates('2027-01-03', '2027-06-30', true, false)
  assert.deepEqual(moveContractDates(current, isoDate('2027-02-01')), dates('2027-02-15', '2027-08-12', true, false))
})

test('a requested start date that has passed is moved to today, and the end date is not moved', () => {
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2028-01-14', false, true), isoDate('2027-02-01')),
    dates('2027-02-01', '2028-01-14', false, true),
  )
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2027-03-31', false, false), isoDate('2027-02-01')),
    dates('2027-02-01', '2027-03-31', false, false),
  )
})

test('moving the dates of an expired quote throws quote_expired if less than a month is left, but not if exactly a month is left', () => {
  const asked = dates('2027-01-15', '2027-03-31', false, false)
  assert.equal(throwsQuoteExpired(asked, '2027-03-01'), false)
  assert.equal(throwsQuoteExpired(asked, '2027-03-02'), true)
  assert.equal(throwsQuoteExpired(asked, '2028-01-01'), true)
})

test('dates that were moved would also be accepted for a new quote', () => {
  fc.assert(
    fc.property(fc.nat(600), fc.boolean(), fc.nat(500), (length, startGiven, later) => {
      const first = chooseContractDates({
        today,
        ...(startGiven ? { start: addDays(today, 3) } : {}),
        end: addDays(today, 45 + length),
      })
      const on = addDays(today, later)
      let moved: ContractDates
      try {
        moved = moveContractDates(first, on)
      } catch (error) {
        assert.ok(error instanceof DomainError && error.code === 'quote_expired')
        return
      }
      const asked = chooseContractDates({ today: on, start: moved.start, end: moved.end })
      assert.equal(asked.start, moved.start)
      assert.equal(asked.end, moved.end)
    }),
  )
})
