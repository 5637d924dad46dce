import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pence } from '../../platform/kernel/money.ts'
import { sumCosts, withNetFigures } from './cost-figures.ts'
import { splitAmounts, splitLines } from './split-lines.ts'

const costs = ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'setupCost'] as const
const everyFigure = [...costs, 'totalVat', 'totalNet', 'setupVat', 'setupNet'] as const

function deal(amounts: number[], tenants: number): number[][] {
  return splitAmounts(amounts.map(pence), tenants)
}

test('odd pence of an amount go to the lead tenant first, then to the others in order', () => {
  assert.deepEqual(deal([100], 3), [[34, 33, 33]])
  assert.deepEqual(deal([101], 3), [[34, 34, 33]])
  assert.deepEqual(deal([99], 3), [[33, 33, 33]])
  assert.deepEqual(deal([2], 4), [[1, 1, 0, 0]])
})

test('odd pence are dealt out in turn: each amount continues with the tenant after the last one who got an odd penny', () => {
  assert.deepEqual(deal([100, 100, 100], 3), [
    [34, 33, 33],
    [33, 34, 33],
    [33, 33, 34],
  ])
  // The first amount leaves two odd pence, for tenants 1 and 2. The second leaves two more, for tenants 3 and 1.
  assert.deepEqual(deal([5, 0, 5], 3), [
    [2, 2, 1],
    [0, 0, 0],
    [2, 1, 2],
  ])
})

test('a single tenant gets the whole amount, and splitting no amounts gives no shares', () => {
  assert.deepEqual(deal([7, 0, 12], 1), [[7], [0], [12]])
  assert.deepEqual(deal([], 3), [])
})

test('a split throws if there are no tenants or an amount is negative', () => {
  assert.throws(() => deal([1], 0), RangeError)
  assert.throws(() => deal([1], 1.5), RangeError)
  assert.throws(() => deal([-1], 2), RangeError)
})

test('splitting a line with more VAT than cost throws', () => {
  const line = { ...sumCosts([]), totalCost: pence(1), totalVat: pence(2) }
  assert.throws(() => splitLines([line], ['tenant_a', 'tenant_b']), RangeError)
})

const amount = fc.oneof(fc.nat(50), fc.nat(10_000_000)).map(pence)
const rate = fc.constantFrom(0, 5, 20)
const vatWithin = (gross: number, percent: number) => pence(Math.round((gross * percent) / (100 + percent)))
const line = fc
  .record({
    weeklyCost: amount,
    monthlyCost: amount,
    yearlyCost: amount,
    totalCost: amount,
    setupCost: amount,
    rate,
  })
  .map(({ rate, ...costs }) =>
    withNetFigures({
      ...costs,
      totalVat: vatWithin(costs.totalCost, rate),
      setupVat: vatWithin(costs.setupCost, rate),
    }),
  )
const household = fc.array(line, { minLength: 1, maxLength: 8 })
const tenantIds = fc
  .integer({ min: 1, max: 12 })
  .map((count) => Array.from({ length: count }, (_, i) => `tenant_${i}` as const))

function spread(values: number[]): number {
  return Math.max(...values) - Math.min(...values)
}

test('the shares of any household add up exactly to each of its figures', () => {
  fc.assert(
    fc.property(household, tenantIds, (lines, ids) => {
      const shares = splitLines(lines, ids)
      assert.deepEqual(
        shares.map(({ tenantId }) => tenantId),
        ids,
      )
      for (const figure of everyFigure) {
        for (const [index, whole] of lines.entries()) {
          const dealt = shares.map((share) => share.lines[index]?.[figure] ?? Number.NaN)
          assert.equal(
            dealt.reduce((a, b) => a + b),
            whole[figure],
          )
        }
        const totals = shares.map((share) => share[figure] as number)
        const household = lines.reduce((sum, whole) => sum + whole[figure], 0)
        assert.equal(
          totals.reduce((a, b) => a + b),
          household,
        )
      }
    }),
  )
})

test('the costs of any two tenants differ by at most 1p on every line and in every sum, and the lead tenant pays no less', () => {
  fc.assert(
    fc.property(household, tenantIds, (lines, ids) => {
      const shares = splitLines(lines, ids)
      for (const figure of costs) {
        for (const index of lines.keys()) {
          assert.ok(spread(shares.map((share) => share.lines[index]?.[figure] ?? Number.NaN)) <= 1)
        }
        const totals = shares.map((share) => share[figure])
        assert.ok(spread(totals) <= 1)
        assert.deepEqual(
          totals,
          [...totals].sort((a, b) => b - a),
        )
      }
    }),
  )
})

test("the VAT and the net of two tenants' totals differ by at most 1p, if a line has a penny of VAT for each tenant", () => {
  const pounds = withNetFigures({
    ...sumCosts([]),
    totalCost: pence(40_000),
    totalVat: pence(1_905),
    setupCost: pence(2_500),
    setupVat: pence(417),
  })
  fc.assert(
    fc.property(household, fc.nat(8), tenantIds, (others, position, ids) => {
      const shares = splitLines(others.toSpliced(position, 0, pounds), ids)
      for (const figure of ['totalVat', 'totalNet', 'setupVat', 'setupNet'] as const) {
        assert.ok(spread(shares.map((share) => share[figure])) <= 1, figure)
      }
    }),
  )
})

test('no figure of any share is negative, on any line', () => {
  fc.assert(
    fc.property(household, tenantIds, (lines, ids) => {
      for (const share of splitLines(lines, ids)) {
        for (const figures of [share, ...share.lines]) {
          for (const figure of everyFigure) assert.ok(figures[figure] >= 0, figure)
        }
      }
    }),
  )
})

test("a tenant's total is the sum of their lines in any household, and net plus VAT is gross", () => {
  fc.assert(
    fc.property(household, tenantIds, (lines, ids) => {
      for (const share of splitLines(lines, ids)) {
        for (const figure of everyFigure) {
          assert.equal(
            share[figure],
            share.lines.reduce((sum, own) => sum + own[figure], 0),
          )
        }
        for (const own of [share, ...share.lines]) {
          assert.equal(own.totalNet + own.totalVat, own.totalCost)
          assert.equal(own.setupNet + own.setupVat, own.setupCost)
        }
      }
    }),
  )
})
