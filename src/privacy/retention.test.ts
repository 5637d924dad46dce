import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../platform/kernel/dates.ts'
import { firstDayStillKept, retainedUntil } from './retention.ts'

test('records are kept until six years after the last day of the contract, and removed the day after', () => {
  for (const [lastDay, until, removedOn] of [
    ['2022-05-10', '2028-05-10', '2028-05-11'],
    ['2022-02-28', '2028-02-28', '2028-02-29'],
    ['2022-03-01', '2028-03-01', '2028-03-02'],
    ['2024-02-28', '2030-02-28', '2030-03-01'],
    ['2024-02-29', '2030-03-01', '2030-03-02'],
    ['2021-12-31', '2027-12-31', '2028-01-01'],
  ] as const) {
    const endsOn = isoDate(lastDay)
    assert.equal(retainedUntil([{ acceptance: {} as never, endsOn, endedOn: null }]), until)
    assert.ok(endsOn >= firstDayStillKept(isoDate(until)), `kept on ${until}`)
    assert.ok(endsOn < firstDayStillKept(isoDate(removedOn)), `removed on ${removedOn}`)
  }
})
