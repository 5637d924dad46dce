import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import {
  contractTermInWords,
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

test('the length of a contract is said in months or with its last day, and may end with the tenancy unless its end is known', () => {
  const inWords = (from: string, to: string, given?: GivenTenancy, isFreeWhenTenancyEnds = true) =>
    contractTermInWords(
      { tenancy: withTenancy(null, given), contractStartDate: isoDate(from), contractEndDate: isoDate(to) },
      { isFreeWhenTenancyEnds },
    )
  const unlessEnded = ', or until your tenancy ends'
  assert.equal(inWords('2027-09-01', '2028-08-31'), `for 12 months${unlessEnded}`)
  assert.equal(inWords('2027-09-01', '2027-09-30', { startedOn: isoDate('2027-09-01') }), `for one month${unlessEnded}`)
  assert.equal(inWords('2027-09-01', '2028-08-31', undefined, false), 'for 12 months', 'a fee is due then')
  assert.equal(inWords('2027-09-01', '2028-06-15'), `until 15 June 2028${unlessEnded}`)
  assert.equal(inWords('2027-09-01', '2028-06-15', { fixedUntil: isoDate('2028-06-15') }), 'until 15 June 2028')
  assert.equal(inWords('2027-09-01', '2028-08-31', { expectedUntil: isoDate('2028-07-31') }), 'for 12 months')
})
