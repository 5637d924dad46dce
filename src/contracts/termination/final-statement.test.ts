import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costInProportion, costUntil } from '../../payments/plan/cost-until.ts'
import { addDays, type IsoDate, isoDate } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, sumPence } from '../../platform/kernel/money.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { household, start } from '../replacements/household-price.fixture.ts'
import { finalStatement, lastPaymentDay, type PaymentAhead } from './settle-contract.ts'

interface Agreed {
  price: QuotePrice
  share: TenantShare
}

const agreed: fc.Arbitrary<Agreed> = fc.tuple(household, fc.nat(5)).map(([price, which]) => {
  const share = price.shares[which % price.shares.length]
  if (share === undefined) throw new Error('no share')
  return { price, share }
})

const dayOf = (offset: number): IsoDate => addDays(start, offset)
const statementOf = ({ price, share }: Agreed, more: Partial<Parameters<typeof finalStatement>[0]> = {}) => {
  const { suppliedUntil = price.contractEndDate } = more
  return finalStatement({
    supplyCost: suppliedUntil === null ? noPence : costUntil(price, share, suppliedUntil),
    setUpCost: share.setupCost,
    fee: noPence,
    alreadyPaid: noPence,
    waivesFee: false,
    waived: noPence,
    owedAgain: noPence,
    reduction: noPence,
    ahead: [],
    ...more,
    suppliedUntil,
  })
}

/** Payments in advance for thirty days each, some of which failed. */
const payments = (amounts: readonly number[]): PaymentAhead[] =>
  amounts.map((amount, index) => ({
    entryId: `entry_${index}`,
    kind: 'plan',
    date: dayOf(30 * index),
    amount: pence(amount),
    periodEnd: dayOf(30 * index + 29),
    retryOn: amount % 3 === 0 ? dayOf(30 * index + 7) : null,
  }))

test('supply until the last day costs exactly what was agreed for the term, and supply until the day before the first costs nothing', () => {
  fc.assert(
    fc.property(agreed, ({ price, share }) => {
      assert.equal(costUntil(price, share, price.contractEndDate), share.totalCost - share.setupCost)
      assert.equal(costUntil(price, share, dayOf(-1)), 0)
    }),
  )
})

test('what was waived is neither asked for again nor paid back', () => {
  fc.assert(
    fc.property(agreed, fc.nat(3_000_00), fc.nat(3_000_00), (given, paid, waived) => {
      const alreadyPaid = pence(paid)
      const without = statementOf(given, { alreadyPaid })
      const { due, refund } = statementOf(given, { alreadyPaid, waived: pence(waived) })
      assert.equal(due, Math.max(0, without.due - waived))
      assert.equal(refund, without.refund)
    }),
  )
})

test('of a fee that was given up, nothing is due and nothing paid back, whatever else is', () => {
  fc.assert(
    fc.property(agreed, fc.nat(3_000_00), fc.nat(100_00), (given, paid, figure) => {
      const [alreadyPaid, fee] = [pence(paid), pence(figure)]
      const without = statementOf(given, { alreadyPaid })
      const { feeDue, feeWaived, due, refund, waived, total } = statementOf(given, {
        alreadyPaid,
        fee,
        waivesFee: true,
      })
      assert.deepEqual([feeDue, due, waived], [0, without.due, feeWaived])
      assert.equal(alreadyPaid + waived + due - refund, total)
    }),
  )
})

test('each further day of supply costs the same or more', () => {
  fc.assert(
    fc.property(agreed, fc.nat(700), ({ price, share }, offset) => {
      assert.ok(costUntil(price, share, dayOf(offset)) <= costUntil(price, share, dayOf(offset + 1)))
    }),
  )
})

test('what was paid, what stays, the last payment and the fee add up to the total; a refund returns the rest', () => {
  fc.assert(
    fc.property(
      agreed,
      fc.record({ offset: fc.nat(700), fee: fc.nat(10_000), paid: fc.nat(200_000) }),
      fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 24 }),
      (contract, { offset, fee, paid }, amounts) => {
        const ahead = payments(amounts)
        const statement = statementOf(contract, {
          suppliedUntil: dayOf(offset),
          fee: pence(fee),
          alreadyPaid: pence(paid),
          ahead,
        })
        const { total, refund, due, kept, dropped, lastPayment, feeDue, supplyCost, setUpCost } = statement
        assert.equal(total, supplyCost + setUpCost + fee)
        assert.equal(paid - refund + due, total)
        assert.ok(refund === 0 || due === 0)
        assert.equal(sumOf(kept) + lastPayment + feeDue, due)
        assert.equal(feeDue, Math.min(fee, due), 'whatever else is paid is paid before the fee')
        assert.deepEqual([...kept, ...dropped], ahead)
        for (const { periodEnd } of kept) assert.ok(periodEnd !== null && periodEnd <= dayOf(offset))
        for (const amount of [total, refund, due, lastPayment, feeDue]) assert.ok(amount >= 0)
      },
    ),
  )
})

test('a demand is at least ten days ahead, after the payments that stay and not before a promised retry', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { maxLength: 9 }), fc.nat(9), fc.nat(400), (amounts, keep, offset) => {
      const ahead = payments(amounts)
      const [kept, dropped] = [ahead.slice(0, keep), ahead.slice(keep)]
      const today = dayOf(offset)
      const day = lastPaymentDay({ kept, dropped }, { today, billingDay: 1 })
      assert.ok(day >= addDays(today, 10) && kept.every(({ date }) => day > date))
      assert.ok(ahead.every(({ retryOn }) => retryOn === null || day >= retryOn))
    }),
  )
  // On 6 April, a payment of 1 April that failed is due to be tried again on 20 April.
  const failed = { ...payments([100])[0], date: isoDate('2027-04-01'), retryOn: isoDate('2027-04-20') } as PaymentAhead
  const dayFor = (retryOn: IsoDate | null) =>
    lastPaymentDay({ kept: [], dropped: [{ ...failed, retryOn }] }, { today: isoDate('2027-04-06'), billingDay: 1 })
  assert.deepEqual([dayFor(null), dayFor(failed.retryOn)], ['2027-04-16', '2027-04-20'])
})

test('a cancellation after early supply costs each service in proportion to its days supplied, rounded once', () => {
  const of = ({ price, share }: Agreed, lastDay: IsoDate) => costInProportion(price, share, lastDay)
  fc.assert(
    fc.property(agreed, fc.nat(700), (contract, offset) => {
      const { price, share } = contract
      const [now, later] = [of(contract, dayOf(offset)), of(contract, dayOf(offset + 1))]
      assert.deepEqual(of(contract, dayOf(-1)), { supplyCost: 0, setUpCost: 0 })
      const whole = of(contract, price.contractEndDate)
      assert.deepEqual(whole, { supplyCost: share.totalCost - share.setupCost, setUpCost: share.setupCost })
      assert.ok(
        now.supplyCost + now.setUpCost <= later.supplyCost + later.setUpCost && now.setUpCost <= later.setUpCost,
      )
    }),
  )
  const [{ price, share }] = fc.sample(agreed, { numRuns: 1, seed: 1 }) as [Agreed]
  const year = { startDate: isoDate('2027-01-01'), endDate: isoDate('2027-12-31') }
  const [line, own] = [price.lines[0] ?? assert.fail(), share.lines[0] ?? assert.fail()]
  const given = (totalCost: number, setupCost: number) => ({
    ...own,
    totalCost: pence(totalCost),
    setupCost: pence(setupCost),
  })
  const example = {
    price: {
      ...price,
      lines: [year, year, { ...year, startDate: isoDate('2027-01-06') }].map((days) => ({ ...line, ...days })),
    },
    share: { ...share, lines: [given(100_411, 0), given(40_411, 411), given(90_000, 9_000)] },
  }
  // (100,411 + 40,411) × 5 ÷ 365 = 1,929.07; the third service has not begun.
  assert.deepEqual(of(example, isoDate('2027-01-05')), { supplyCost: 1_923, setUpCost: 6 })
})

test('a contract that never supplied anything costs only the fee', () => {
  fc.assert(
    fc.property(agreed, fc.nat(10_000), (contract, fee) => {
      const { total, lastPayment, feeDue } = statementOf(contract, {
        ...{ suppliedUntil: null, setUpCost: noPence, fee: pence(fee) },
      })
      assert.deepEqual([total, lastPayment, feeDue], [fee, 0, fee])
    }),
  )
})

function sumOf(list: readonly { amount: Pence }[]): Pence {
  return sumPence(list.map(({ amount }) => amount))
}
