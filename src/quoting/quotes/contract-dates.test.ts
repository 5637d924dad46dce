import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type ContractDates, chooseContractDates, expiryOf, moveContractDates } from './contract-dates.ts'
import { type Quote, startLock } from './quote.ts'
import { defaultDaysAhead, type QuotePolicy } from './quote-policy.ts'

const today = isoDate('2026-12-20')
/** With the default settings: 14 days of validity, 14 of the lock, 14 to cancel, and one. */
const daysAhead = 43

function choose(start?: string, end?: string, on = today): ContractDates {
  return chooseContractDates({
    today: on,
    daysAhead,
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

test('if neither date is sent, a contract starts in 43 days and lasts twelve months', () => {
  assert.deepEqual(choose(), { start: '2027-02-01', end: '2028-01-31', startIsDefault: true, endIsDefault: true })
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
    start: '2027-02-01',
    end: '2027-06-30',
    startIsDefault: true,
    endIsDefault: false,
  })
  assert.deepEqual(rejectedFields(undefined, '2027-02-27'), ['/contractEndDate'])
  assert.deepEqual(rejectedFields(undefined, '2027-02-28'), [])
})

test('a start date before tomorrow or over twelve months ahead is rejected', () => {
  assert.deepEqual(rejectedFields('2026-12-20'), ['/contractStartDate'])
  assert.deepEqual(rejectedFields('2026-12-21'), [])
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
    moveContractDates(current, { today: isoDate(on), daysAhead })
    return false
  } catch (error) {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, 'quote_expired')
    assert.match(error.message, /less than a month/)
    assert.match(error.message, /new quote/)
    return true
  }
}

test('a default start date that is far enough ahead is not moved', () => {
  const current = dates('2027-02-01', '2028-01-31', true, true)
  assert.deepEqual(moveContractDates(current, { today, daysAhead }), current)
})

test('a default start date that is nearer moves out to 43 days ahead, and a default end date moves with it', () => {
  const current = dates('2027-02-01', '2028-01-31', true, true)
  assert.deepEqual(
    moveContractDates(current, { today: isoDate('2026-12-21'), daysAhead }),
    dates('2027-02-02', '2028-02-01', true, true),
  )
})

test('if a default start date is moved, a requested end date is kept', () => {
  const current = dates('2027-02-01', '2027-06-30', true, false)
  assert.deepEqual(
    moveContractDates(current, { today: isoDate('2027-02-01'), daysAhead }),
    dates('2027-03-16', '2027-06-30', true, false),
  )
})

test('a requested start date that has not come is not moved', () => {
  const current = dates('2027-01-15', '2028-01-14', false, true)
  assert.deepEqual(moveContractDates(current, { today: isoDate('2027-01-14'), daysAhead }), current)
})

test('a requested start date that has come moves to tomorrow; a default end keeps the twelve months, a requested end stays', () => {
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2028-01-14', false, true), { today: isoDate('2027-01-15'), daysAhead }),
    dates('2027-01-16', '2028-01-15', false, true),
  )
  assert.deepEqual(
    moveContractDates(dates('2027-01-15', '2027-03-31', false, false), { today: isoDate('2027-02-01'), daysAhead }),
    dates('2027-02-02', '2027-03-31', false, false),
  )
})

test('moving the dates of an expired quote throws quote_expired if less than a month is left, but not if exactly a month is left', () => {
  const asked = dates('2027-01-15', '2027-03-31', false, false)
  assert.equal(throwsQuoteExpired(asked, '2027-02-28'), false)
  assert.equal(throwsQuoteExpired(asked, '2027-03-01'), true)
  assert.equal(throwsQuoteExpired(asked, '2028-01-01'), true)
})

test('dates that were moved would also be accepted for a new quote', () => {
  fc.assert(
    fc.property(fc.nat(600), fc.boolean(), fc.nat(500), (length, startGiven, later) => {
      const first = chooseContractDates({
        today,
        daysAhead,
        ...(startGiven ? { start: addDays(today, 3) } : {}),
        end: addDays(today, 75 + length),
      })
      const on = addDays(today, later)
      let moved: ContractDates
      try {
        moved = moveContractDates(first, { today: on, daysAhead })
      } catch (error) {
        assert.ok(error instanceof DomainError && error.code === 'quote_expired')
        return
      }
      const asked = chooseContractDates({ today: on, daysAhead, start: moved.start, end: moved.end })
      assert.equal(asked.start, moved.start)
      assert.equal(asked.end, moved.end)
    }),
  )
})

test('a lock lasts 14 days of the calendar when the clocks change, and the default start leaves 14 more to cancel', () => {
  const policy: QuotePolicy = {
    validitySeconds: 1_209_600,
    lockDays: 14,
    billingDay: 1,
    presumesSupply: true,
    isFreeWhenTenancyEnds: true,
  }
  const lockedUntil = (now: Date, contractStartDate = isoDate('2030-01-01')) =>
    startLock({ stage: 'open', contractStartDate } as Quote, policy, { now, termsVersion: '1' }).lockedUntil
  // 23:30 GMT on 20 March, and 00:30 BST on 17 October.
  assert.equal(lockedUntil(new Date('2027-03-20T23:30:00Z'))?.toISOString(), '2027-04-03T22:59:59.999Z')
  assert.equal(lockedUntil(new Date('2026-10-16T23:30:00Z'))?.toISOString(), '2026-10-31T23:59:59.999Z')
  fc.assert(
    fc.property(fc.nat(1_500 * 24 * 60), (minutes) => {
      const now = new Date(Date.parse('2026-12-01T00:00:00Z') + minutes * 60_000)
      const start = addDays(londonDate(now), defaultDaysAhead(policy))
      const expiry = expiryOf({ now, ...policy, onSaleTo: null, contractStartDate: start })
      const end = lockedUntil(new Date(expiry.getTime() - 1), start) ?? assert.fail()
      assert.ok(addDays(londonDate(end), 14) < start)
    }),
  )
})
