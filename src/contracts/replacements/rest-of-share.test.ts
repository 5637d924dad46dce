import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costUntil } from '../../payments/plan/cost-until.ts'
import { holidays } from '../../payments/plan/plan-payments.fixture.ts'
import { planPayments } from '../../payments/plan/plan-payments.ts'
import { addDays, daysBetween, type IsoDate, isoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, sumPence } from '../../platform/kernel/money.ts'
import { sumCosts } from '../../quoting/pricing/cost-figures.ts'
import type { CostFigures, QuotePrice } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { finalStatement } from '../termination/settle-contract.ts'
import { household, start } from './household-price.fixture.ts'
import { joinerPrice, restOfShare } from './joiner-price.ts'

const lead = 'tenant_0'

const figures = ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'totalNet', 'totalVat', 'setupCost'] as const
const dayWithin = ({ contractEndDate }: QuotePrice, offset: number) =>
  addDays(start, offset % (daysBetween(start, contractEndDate) + 1))

function takeOver(price: QuotePrice, offset: number): QuotePrice {
  const from = dayWithin(price, offset)
  return joinerPrice(price, { joinerId: 'tenant_new', leaverId: lead, firstHolderId: lead, leaverPrice: price, from })
}

/** What a tenant owes who leaves on a day, without a fee, and has paid nothing. */
function owed(price: QuotePrice, tenantId: Id<'tenant'>, suppliedUntil: IsoDate) {
  const share = shareOf(price, tenantId)
  return finalStatement({
    supplyCost: costUntil(price, share, suppliedUntil),
    setUpCost: suppliedUntil < price.contractStartDate ? noPence : share.setupCost,
    suppliedUntil,
    ...{ fee: noPence, alreadyPaid: noPence, waived: noPence, owedAgain: noPence, reduction: noPence },
    waivesFee: false,
    ahead: [],
  })
}

test('what the leaver owes and what the joiner pays add up to the share, to the penny, on every day', () => {
  fc.assert(
    fc.property(household, fc.nat(800), (price, offset) => {
      const from = dayWithin(price, offset)
      const share = shareOf(price, lead)
      const rest = restOfShare(price, share, from)
      assert.equal(owed(price, lead, addDays(from, -1)).total + rest.totalCost, share.totalCost)
    }),
  )
})

test('a joiner who ends early owes no set-up that the leaver owes, and together they owe what one tenant would, to the penny', () => {
  fc.assert(
    fc.property(household, fc.nat(800), fc.nat(800), (price, offset, later) => {
      const [from, lastDay] = [dayWithin(price, offset), dayWithin(price, offset + later)]
      if (lastDay < from) return
      const [leaver, joiner] = [
        owed(price, lead, addDays(from, -1)),
        owed(takeOver(price, offset), 'tenant_new', lastDay),
      ]
      const one = owed(price, lead, lastDay)
      assert.equal(leaver.setUpCost + joiner.setUpCost, one.setUpCost)
      // Each statement is rounded once.
      assert.ok(Math.abs(leaver.total + joiner.total - one.total) <= 1)
    }),
  )
})

test("the joiner's plan adds up to what is left of the share, and no payment is negative", () => {
  const calendar = { today: isoDate('2026-12-01'), division: 'england-and-wales', holidays } as const
  fc.assert(
    fc.property(household, fc.nat(800), (price, offset) => {
      const joined = takeOver(price, offset)
      const share = shareOf(joined, 'tenant_new')
      const plan = planPayments({ ...joined, share, ...calendar })
      assert.equal(sumPence(plan.map(({ amount }) => amount)), share.totalCost)
      for (const { amount } of plan) assert.ok(amount >= 0)
    }),
  )
})

test('every figure of a joiner is the sum of their lines, no line is negative, and none has more VAT than cost', () => {
  fc.assert(
    fc.property(household, fc.nat(800), (price, offset) => {
      const share = shareOf(takeOver(price, offset), 'tenant_new')
      const sums: CostFigures = sumCosts(share.lines)
      for (const figure of figures) assert.equal(share[figure], sums[figure])
      for (const line of share.lines) {
        for (const figure of figures) assert.ok(line[figure] >= 0, figure)
        assert.equal(line.totalNet + line.totalVat, line.totalCost)
      }
    }),
  )
})

test("the household's figures are the sums of its shares, with the agreed rates", () => {
  fc.assert(
    fc.property(household, fc.nat(800), (price, offset) => {
      const joined = takeOver(price, offset)
      for (const figure of figures) {
        assert.equal(
          joined[figure],
          joined.shares.reduce((sum, share) => sum + share[figure], 0),
        )
      }
      for (const figure of ['weeklyCost', 'monthlyCost', 'yearlyCost'] as const)
        assert.equal(joined[figure], price[figure])
      for (const { startDate, endDate, vatRates } of joined.lines) {
        assert.ok(startDate >= joined.contractStartDate && startDate <= endDate)
        assert.equal(vatRates[0]?.from, startDate)
      }
    }),
  )
})

test('a share that is taken over twice still adds up to the penny', () => {
  fc.assert(
    fc.property(household, fc.nat(400), fc.nat(400), (price, offset, later) => {
      const first = takeOver(price, offset)
      const from = addDays(first.contractStartDate, later)
      if (from > price.contractEndDate) return
      const second = joinerPrice(price, {
        joinerId: 'tenant_last',
        leaverId: 'tenant_new',
        firstHolderId: lead,
        leaverPrice: first,
        from,
      })
      const [share, middle] = [shareOf(price, lead), shareOf(first, 'tenant_new')]
      const untilFirst = share.totalCost - middle.totalCost
      const untilSecond =
        from === first.contractStartDate ? 0 : costUntil(first, middle, addDays(from, -1)) + middle.setupCost
      assert.equal(untilFirst + untilSecond + shareOf(second, 'tenant_last').totalCost, share.totalCost)
    }),
  )
})

test('from the first day, a joiner takes over the whole share with its set-up', () => {
  fc.assert(
    fc.property(household, (price) => {
      assert.deepEqual(shareOf(takeOver(price, 0), 'tenant_new'), { ...shareOf(price, lead), tenantId: 'tenant_new' })
    }),
  )
})
