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

/** The pointers of the fields a choice is refused for. */
function refusedFields(start?: string, end?: string): string[] {
  try {
    choose(start, end)
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'validation_failed')
    return error.fields.map(({ pointer }) => pointer)
  }
  return []
}

test('neither date given: twelve months from fourteen days ahead', () => {
  assert.deepEqual(choose(), { start: '2027-01-03', end: '2028-01-02', startIsDefault: true, endIsDefault: true })
})

test('a start alone: twelve months from it, clipped at the end of a month', () => {
  assert.deepEqual(choose('2027-01-15'), {
    start: '2027-01-15',
    end: '2028-01-14',
    startIsDefault: false,
    endIsDefault: true,
  })
  assert.equal(choose('2028-02-29', undefined, isoDate('2028-02-01')).end, '2029-02-27')
})

test('an end alone counts from the default start', () => {
  assert.deepEqual(choose(undefined, '2027-06-30'), {
    start: '2027-01-03',
    end: '2027-06-30',
    startIsDefault: true,
    endIsDefault: false,
  })
  assert.deepEqual(refusedFields(undefined, '2027-02-01'), ['/contractEndDate'])
  assert.deepEqual(refusedFields(undefined, '2027-02-02'), [])
})

test('a start lies from today to twelve months ahead', () => {
  assert.deepEqual(refusedFields('2026-12-19'), ['/contractStartDate'])
  assert.deepEqual(refusedFields('2026-12-20'), [])
  assert.deepEqual(refusedFields('2027-12-20'), [])
  assert.deepEqual(refusedFields('2027-12-21'), ['/contractStartDate'])
})

test('a contract lasts one to twenty-four months, to any day', () => {
  assert.deepEqual(refusedFields('2027-01-15', '2027-02-13'), ['/contractEndDate'])
  assert.deepEqual(refusedFields('2027-01-15', '2027-02-14'), [])
  assert.deepEqual(refusedFields('2027-01-15', '2027-03-09'), [])
  assert.deepEqual(refusedFields('2027-01-15', '2029-01-14'), [])
  assert.deepEqual(refusedFields('2027-01-15', '2029-01-15'), ['/contractEndDate'])
  assert.deepEqual(refusedFields('2027-01-15', '2027-01-14'), ['/contractEndDate'])
})

test('one month from 31 January ends on 27 February', () => {
  assert.deepEqual(refusedFields('2027-01-31', '2027-02-27'), [])
  assert.deepEqual(refusedFields('2027-01-31', '2027-02-26'), ['/contractEndDate'])
})

test('every bad date is named at once', () => {
  assert.deepEqual(refusedFields('2026-01-01', '2030-01-01'), ['/contractStartDate', '/contractEndDate'])
})

const dates = (start: string, end: string, startIsDefault: boolean, endIsDefault: boolean): ContractDates => ({
  start: isoDate(start),
  end: isoDate(end),
  startIsDefault,
  endIsDefault,
})

function refusedToMove(current: ContractDates, on: string): boolean {
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

test('a start that has not passed stays, also today', () => {
  const current = dates('2027-01-03', '2028-01-02', true, true)
  assert.deepEqual(moveContractDates(current, isoDate('2027-01-03')), current)
})

test('a default start that has passed moves to fourteen days ahead, its default end with it', () => {
  const current = dates('2027-01-03', '2028-01-02', true, true)
  assert.deepEqual(moveContractDates(current, isoDate('2027-01-04')), dates('2027-01-18', '2028-01-17', true, true))
})

test('a default start that has passed moves with its length, also to an end that was asked for', () => {
  const current = dates('2027-01-03', '2027-06-30', true, false)
  assert.deepEqual(moveContractDates(current, isoDate('2027-02-01')), dates('2027-02-15', '2027-08-12', true, false))
})

test('a start that was asked for moves to today and keeps its end, default or not', () => {
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2028-01-14', false, true), isoDate('2027-02-01')),
    dates('2027-02-01', '2028-01-14', false, true),
  )
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2027-03-31', false, false), isoDate('2027-02-01')),
    dates('2027-02-01', '2027-03-31', false, false),
  )
})

test('with less than a month left the quote cannot be revived; with exactly a month it can', () => {
  const asked = dates('2027-01-15', '2027-03-31', false, false)
  assert.equal(refusedToMove(asked, '2027-03-01'), false)
  assert.equal(refusedToMove(asked, '2027-03-02'), true)
  assert.equal(refusedToMove(asked, '2028-01-01'), true)
})

test('dates that were moved would have been accepted if they had been asked for', () => {
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
