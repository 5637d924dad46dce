import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costUntil } from '../../payments/plan/cost-until.ts'
import { addDays, type IsoDate, isoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, sumPence } from '../../platform/kernel/money.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { priceQuote } from '../../quoting/pricing/price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes } from '../../quoting/pricing/rate-card.fixture.ts'
import { finalStatement, type PaymentAhead } from './final-statement.ts'

interface Agreed {
  price: QuotePrice
  share: TenantShare
}

const start = isoDate('2027-01-15')

/** Arbitrary contracts, with broadband that starts on the first day or later. */
const agreed: fc.Arbitrary<Agreed> = fc
  .record({
    months: fc.integer({ min: 1, max: 24 }),
    billingDay: fc.integer({ min: 1, max: 28 }),
    broadbandOffset: fc.nat(40),
    tenants: fc.integer({ min: 1, max: 6 }),
    which: fc.nat(5),
  })
  .map(({ months, billingDay, broadbandOffset, tenants, which }) => {
    const price = priceQuote({
      card: autumnCard,
      address: { mpan: '1012345678901', mprn: '1234567890', country: 'England' },
      region: '_A',
      packages: packagesOfTypes(autumnCard, 'electricity', 'gas', 'broadband'),
      products: [fibreLine],
      broadbandStartDate: addDays(start, Math.min(broadbandOffset, 20)),
      tenantIds: Array.from({ length: tenants }, (_, index) => `tenant_${index}` as const),
      bedrooms: null,
      contractStartDate: start,
      contractEndDate: lastDayOfTerm(start, months),
      billingDay,
    })
    const share = price.shares[which % tenants]
    if (share === undefined) throw new Error('no share')
    return { price, share }
  })

const dayOf = (offset: number): IsoDate => addDays(start, offset)
const statementOf = ({ price, share }: Agreed, more: Partial<Parameters<typeof finalStatement>[0]> = {}) =>
  finalStatement({
    price,
    share,
    suppliedUntil: price.contractEndDate,
    setUp: 'whole',
    fee: noPence,
    alreadyPaid: noPence,
    waived: noPence,
    ahead: [],
    ...more,
  })

const payments = (amounts: readonly number[]): PaymentAhead[] =>
  amounts.map((amount, index) => ({ entryId: `entry_${index}`, date: dayOf(30 * index), amount: pence(amount) }))

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

test('each further day of supply costs the same or more', () => {
  fc.assert(
    fc.property(agreed, fc.nat(700), ({ price, share }, offset) => {
      assert.ok(costUntil(price, share, dayOf(offset)) <= costUntil(price, share, dayOf(offset + 1)))
    }),
  )
})

test('what was paid, what stays and the last payment add up to the total; a refund returns the rest', () => {
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
        const { total, refund, due, kept, dropped, lastPayment, supplyCost, setUpCost } = statement
        assert.equal(total, supplyCost + setUpCost + fee)
        assert.equal(paid - refund + due, total)
        assert.ok(refund === 0 || due === 0)
        assert.equal(sumOf(kept) + lastPayment, due)
        assert.deepEqual([...kept, ...dropped], ahead)
        for (const amount of [total, refund, due, lastPayment]) assert.ok(amount >= 0)
      },
    ),
  )
})

test('set-up in proportion grows with the days supplied up to the whole set-up', () => {
  fc.assert(
    fc.property(agreed, fc.nat(700), (contract, offset) => {
      const of = (suppliedUntil: IsoDate | null) =>
        statementOf(contract, { suppliedUntil, setUp: 'in proportion' }).setUpCost
      assert.equal(of(null), 0)
      assert.equal(of(contract.price.contractEndDate), contract.share.setupCost)
      assert.ok(of(dayOf(offset)) <= of(dayOf(offset + 1)))
    }),
  )
})

test('a contract that never supplied anything costs only the fee', () => {
  fc.assert(
    fc.property(agreed, fc.nat(10_000), (contract, fee) => {
      const { total, lastPayment } = statementOf(contract, { suppliedUntil: null, setUp: 'none', fee: pence(fee) })
      assert.deepEqual([total, lastPayment], [fee, fee])
    }),
  )
})

function sumOf(list: readonly { amount: Pence }[]): Pence {
  return sumPence(list.map(({ amount }) => amount))
}
