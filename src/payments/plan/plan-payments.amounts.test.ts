import assert from 'node:assert/strict'
import { test } from 'node:test'
import { descriptionsOf, kindsOf, type PlanInput, planFor, summaries } from './plan-payments.fixture.ts'

// Expected amounts and days were calculated by hand; the comments show how.

test('broadband that starts later than the contract is charged from its own start date, with the same rounding', () => {
  const payments = planFor({
    contract: ['2027-01-01', '2027-12-31'],
    lines: [
      { monthly: 3_001, total: 36_012 },
      { monthly: 1_001, total: 11_560, startsOn: '2027-01-15' },
    ],
    today: '2026-12-20',
  })
  // 3,001 + 1,001 × 17 ÷ 31 = 3,549.94
  assert.equal(payments[0]?.amount, 3_550)
  assert.equal(payments[1]?.amount, 4_002)
  assert.equal(payments[11]?.amount, 4_002) // 47,572 − 3,550 − 10 × 4,002, with nothing left over from rounding
})

test('if broadband is the only service and starts after the contract, set-up is charged at once and earlier months are skipped', () => {
  const later: PlanInput = {
    contract: ['2027-01-01', '2027-06-30'],
    lines: [{ monthly: 3_000, total: 12_000, startsOn: '2027-03-01' }],
    today: '2026-12-20',
  }
  const payments = planFor(later)
  assert.deepEqual(summaries(payments), [
    ['2027-03-01', 3_000, '2027-03-01', '2027-03-31'],
    ['2027-04-01', 3_000, '2027-04-01', '2027-04-30'],
    ['2027-05-04', 3_000, '2027-05-01', '2027-05-31'],
    ['2027-06-01', 3_000, '2027-06-01', '2027-06-30'],
  ])
  assert.deepEqual(kindsOf(payments), ['first', 'monthly', 'monthly', 'last'])

  const withSetup = planFor({
    ...later,
    lines: [{ monthly: 3_000, total: 12_900, setup: 900, startsOn: '2027-03-01' }],
  })
  assert.deepEqual(summaries(withSetup)[0], ['2027-01-04', 900, '2027-01-01', '2027-01-31'])
  assert.equal(withSetup[0]?.description, 'Set-up')
  assert.equal(withSetup.length, 5)

  const withinMonth = planFor({
    contract: ['2026-12-01', '2026-12-28'],
    lines: [{ monthly: 3_100, total: 2_700, setup: 900, startsOn: '2026-12-11' }],
    today: '2026-11-20',
  })
  assert.deepEqual(descriptionsOf(withinMonth), ['Set-up and 11 to 28 December 2026'])
})

test('a last payment of exactly a pound stays separate; one that is a penny less is merged into the payment before it', () => {
  const given = (total: number): PlanInput => ({
    contract: ['2027-01-01', '2027-02-28'],
    lines: [{ monthly: 100, total }],
    today: '2026-12-20',
  })
  assert.deepEqual(
    planFor(given(200)).map(({ amount }) => amount),
    [100, 100],
  )
  assert.deepEqual(
    planFor(given(199)).map(({ amount }) => amount),
    [199],
  )
})

test('if the rounded payments exceed the total, they are merged into one, so that none is negative', () => {
  // Each of the twelve months costs a penny after rounding, but the total is 5p, so the last payment would be −6p.
  const payments = planFor({
    contract: ['2027-01-01', '2027-12-31'],
    lines: [{ monthly: 1, total: 5 }],
    today: '2026-12-20',
  })
  assert.deepEqual(summaries(payments), [['2027-01-04', 5, '2027-01-01', '2027-12-31']])
  assert.deepEqual(kindsOf(payments), ['first'])
  assert.deepEqual(descriptionsOf(payments), ['1 January to 31 December 2027'])
})

test('final payments of less than a pound are merged until they add up to at least a pound', () => {
  const payments = planFor({
    contract: ['2027-01-01', '2027-06-30'],
    lines: [{ monthly: 40, total: 240 }],
    today: '2026-12-20',
  })
  assert.deepEqual(summaries(payments), [
    ['2027-01-04', 40, '2027-01-01', '2027-01-31'],
    ['2027-02-01', 40, '2027-02-01', '2027-02-28'],
    ['2027-03-01', 40, '2027-03-01', '2027-03-31'],
    ['2027-04-01', 120, '2027-04-01', '2027-06-30'],
  ])
  assert.equal(payments[3]?.description, 'April 2027, May 2027 and June 2027')
})

test('a share that costs nothing has one payment of 0 on the first billing date', () => {
  const payments = planFor({
    contract: ['2027-01-15', '2028-01-14'],
    lines: [{ monthly: 0, total: 0 }],
    today: '2026-12-20',
  })
  assert.deepEqual(payments, [
    {
      date: '2027-02-01',
      amount: 0,
      kind: 'first',
      periodStart: '2027-01-15',
      periodEnd: '2028-01-14',
      description: 'Nothing to pay',
    },
  ])
})
