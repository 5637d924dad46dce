import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJointAssuredInEngland, type Tenancy, withTenancy } from './tenancy.ts'

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
