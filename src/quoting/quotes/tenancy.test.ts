import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import {
  type GivenTenancy,
  isJointAssuredInEngland,
  type Tenancy,
  tenancyDisagreements,
  tenancyTypes,
  withTenancy,
} from './tenancy.ts'

test('one notice ends a tenancy for all only if it is a joint assured tenancy in England', () => {
  const joint = withTenancy(null, { type: 'assured_periodic', joint: true })
  const ends = (tenancy: Tenancy | null, country = 'England') =>
    isJointAssuredInEngland({ tenancy, address: { country } })
  assert.equal(ends(joint), true)
  assert.deepEqual(
    ['Wales', 'Scotland'].map((country) => ends(joint, country)),
    [false, false],
  )
  const others = [null, { joint: 'unknown' as const }, { joint: false }, { type: 'common_law' as const }]
  assert.deepEqual(
    others.map((other) => ends(other === null ? null : withTenancy(joint, other))),
    others.map(() => false),
  )
})

test('a tenancy of another nation, and days that do not fit those of the contract, are each one disagreement', () => {
  const days = { contractStartDate: isoDate('2027-09-01'), contractEndDate: isoDate('2028-08-31') }
  const count = (given: GivenTenancy, country = 'England') =>
    tenancyDisagreements({ ...days, tenancy: withTenancy(null, given), address: { country } }).length
  assert.equal(tenancyDisagreements({ ...days, tenancy: null, address: { country: 'Wales' } }).length, 0)
  for (const type of tenancyTypes) {
    const fits = ['England', 'Wales', 'Scotland'].filter((country) => count({ type }, country) === 0)
    const own = { assured_periodic: 'England', occupation_contract: 'Wales', private_residential: 'Scotland' } as const
    assert.deepEqual(fits, type in own ? [own[type as keyof typeof own]] : ['England', 'Wales', 'Scotland'])
  }
  const lastDays = ['2028-08-30', '2028-08-31'].map(isoDate)
  assert.deepEqual(
    lastDays.map((expectedUntil) => count({ expectedUntil })),
    [1, 0],
  )
  assert.deepEqual(
    lastDays.map((fixedUntil) => count({ fixedUntil })),
    [1, 0],
  )
  assert.deepEqual(
    ['2027-09-01', '2027-09-02'].map((day) => count({ startedOn: isoDate(day) })),
    [0, 1],
  )
  assert.equal(count({ fixedUntil: isoDate('2028-02-29'), expectedUntil: isoDate('2029-01-31') }), 0)
})
