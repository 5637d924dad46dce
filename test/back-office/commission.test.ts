import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fraction from 'fraction.js'
import type { Static } from 'typebox'
import type { OperatorPaymentObject } from '../../src/back-office/payments/payment.schema.ts'
import { daysInPeriod, isoDate } from '../../src/platform/kernel/dates.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { roundHalfUp } from '../../src/platform/kernel/money.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { join, replace } from '../support/replacements.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { startCommission } from './start-commission.ts'

type Payment = Static<typeof OperatorPaymentObject>

const commission = await startCommission()
after(() => commission.stop())
const { service, operator, record, endContracts, newPartner } = commission
/** The right to cancel a contract that takes effect on 1 December ends with 15 December. */
const daysToEarn = 15
const share = { basisPoints: 250 }
const part = (amount: number, of: number, whole: number) => roundHalfUp(new Fraction(amount).mul(of).div(whole))

/**
 * What the operator's export says these contracts are worth without VAT, by number. The export holds back what is newer
 * than the oldest transaction of the server, which may be another test's.
 */
function exportedValues(contracts: readonly string[]): Promise<Map<unknown, number>> {
  return waitFor(
    'the export has the contracts',
    async () => {
      const lines = succeeded(await operator.get<Record<string, unknown>[]>('/Contracts/export?format=json'))
      return new Map(lines.map(({ contractNumber, totalNet }) => [contractNumber, Number(totalNet)]))
    },
    (values) => contracts.every((contractNumber) => values.has(contractNumber)),
  )
}

test('a share is of what the export says the contract is worth without VAT, and is earned once', async () => {
  const { partner, addTerms, sell, advance, statement, total, partnerId } = await newPartner()
  const { termNumber } = succeeded(await addTerms('2026-01-01', share))
  const { contracts, quoteId } = await sell({ tenants: 2 })
  const sellFrom = async (branch: string) =>
    succeeded(await partner.patch(`/Quotes/${quoteId}`, { branch, soldBy: `Kim, ${branch}` }))
  await sellFrom('York')
  await advance(daysToEarn)
  await record()
  await sellFrom('Leeds')
  await record()
  const lines = await statement('2026-12')
  const values = await exportedValues(contracts)
  assert.deepEqual(
    lines.map(({ numberInMonth: _, lineId: __, ...line }) => line),
    contracts.toSorted().map((contractNumber) => {
      const valueNet = values.get(contractNumber) ?? 0
      assert.ok(valueNet > 10_000)
      return {
        ...{ month: '2026-12', partnerId, countsOn: '2026-12-16', kind: 'earned', contractNumber, quoteId, termNumber },
        branch: 'York',
        soldBy: 'Kim, York',
        ...{ valueNet, basisPoints: 250, fixedAmount: null, termDays: 365, householdDays: 365, unsuppliedDays: 0 },
        refundEntryId: null,
        queries: [],
        amount: part(valueNet, 250, 10_000),
      }
    }),
  )
  const sum = lines.reduce((before, { amount }) => before + amount, 0)
  const { partnerName: _, ...sums } = await total('2026-12')
  assert.deepEqual(sums, {
    ...{
      partnerId,
      month: '2026-12',
      earnings: 2,
      clawbacks: 0,
      earned: sum,
      clawedBack: 0,
      total: sum,
      ...{ openQueries: 0, closedAt: null, paidOn: null },
    },
  })
})

test('a contract that was confirmed late earns when its right to cancel has ended, and not before it is confirmed', async () => {
  const { addTerms, sell, advance, statement, partnerId } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 3_000 }))
  const [late, never] = [(await sell()).contractNumber, (await sell()).contractNumber]
  await advance(daysToEarn + 2)
  const confirmed = 'update contracts set confirmation_sent_at = $3 where partner_id = $1 and contract_number = $2'
  await rawRows(service, confirmed, [partnerId, late, '2026-12-04T12:00:00Z'])
  await rawRows(service, confirmed, [partnerId, never, null])
  await record()
  assert.deepEqual(await statement('2026-12'), [])
  await advance(1)
  await record()
  assert.deepEqual(
    (await statement('2026-12')).map(({ countsOn }) => countsOn),
    ['2026-12-19'],
  )
})

test('a fixed amount is earned for each contract, and nothing without terms or before the first', async () => {
  const without = await newPartner()
  const { addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-12-02', { amount: 3_000 }))
  await without.sell()
  await sell()
  await advance(1)
  const { contractNumber } = await sell()
  for (const each of [without, { advance }]) await each.advance(daysToEarn)
  await record()
  assert.deepEqual(await without.statement('2026-12'), [])
  assert.deepEqual(
    (await statement('2026-12')).map((line) => [line.contractNumber, line.countsOn, line.amount, line.fixedAmount]),
    [[contractNumber, '2026-12-17', 3_000, 3_000]],
  )
})

test('tiers follow how many contracts the partner earned in the calendar month, in however many runs', async () => {
  const { addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-12-01', { upTo: 1, amount: 1_000 }, { amount: 3_000 }))
  const amounts = async (month: string) =>
    (await statement(month)).map(({ numberInMonth, amount }) => [numberInMonth, amount]).toSorted()
  for (let count = 0; count < 2; count++) await sell()
  await advance(daysToEarn)
  await record()
  await sell()
  await advance(daysToEarn + 1)
  await record()
  assert.deepEqual(await amounts('2026-12'), [
    [1, 1_000],
    [2, 3_000],
    [3, 3_000],
  ])
  await sell()
  await advance(daysToEarn)
  await record()
  assert.deepEqual(await amounts('2027-01'), [[1, 1_000]])
})

test('days are those of London: in summer, a contract that takes effect before midnight UTC belongs to the next day', async () => {
  const { addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-04-01', { amount: 500 }))
  const { contracts } = await sell({ tenants: 2 })
  const [before = '', after = ''] = contracts
  const move = 'update contracts set effective_at = $2, confirmation_sent_at = $2 where contract_number = $1'
  await rawRows(service, move, [before, '2026-06-15T22:59:59.999Z'])
  await rawRows(service, move, [after, '2026-06-15T23:00:00Z'])
  await advance(1)
  await record()
  assert.deepEqual(
    (await statement('2026-06')).map(({ contractNumber, countsOn }) => [contractNumber, countsOn]),
    [[before, '2026-06-30']],
  )
  assert.deepEqual(
    (await statement('2026-07')).map(({ contractNumber, countsOn }) => [contractNumber, countsOn]),
    [[after, '2026-07-01']],
  )
})

test('a contract that is cancelled within its right to cancel earns nothing, also if its notice is recorded later', async () => {
  const { addTerms, sell, advance, statement, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', share))
  const { tenants } = await sell({ tenants: 2 })
  const [inTime = '', late = ''] = tenants
  succeeded(await partner.post(`/Customers/${inTime}/cancel-contract`))
  await advance(daysToEarn)
  await record()
  const [earned, ...others] = await statement('2026-12')
  assert.deepEqual([earned?.kind, others.length], ['earned', 0])
  await advance(17)
  succeeded(await partner.post(`/Customers/${late}/cancel-contract`, { informedOn: '2026-12-10' }))
  await record()
  await record()
  assert.deepEqual(
    (await statement('2027-01')).map(({ kind, countsOn, amount, unsuppliedDays }) => [
      kind,
      countsOn,
      amount,
      unsuppliedDays,
    ]),
    [['clawback', '2027-01-02', -(earned?.amount ?? 0), 365]],
  )
})

test('an early end takes back the part for the days that are not supplied, once the last day is over', async () => {
  const { addTerms, sell, advance, statement, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', share))
  const { lead } = await sell()
  await advance(daysToEarn)
  await record()
  const [earned] = await statement('2026-12')
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate: '2027-06-20' }))
  await advance(186)
  await endContracts()
  await record()
  assert.deepEqual(await statement('2027-06'), [], 'the contract still runs on its last day')
  await advance(1)
  await record()
  assert.deepEqual(await statement('2027-06'), [], 'until the job that ends contracts has come to it')
  await endContracts()
  await record()
  await record()
  const [clawback, ...others] = await statement('2027-06')
  const unsupplied = daysInPeriod(isoDate('2027-06-21'), isoDate(contract?.endsOn ?? ''))
  assert.deepEqual(others, [])
  assert.deepEqual(clawback, {
    ...{ ...earned, lineId: clawback?.lineId },
    ...{ month: '2027-06', countsOn: '2027-06-20', kind: 'clawback', numberInMonth: null, unsuppliedDays: unsupplied },
    amount: -part(earned?.amount ?? 0, unsupplied, 365),
  })
})

test('an end that is replaced by an earlier one counts only as it comes about', async () => {
  const { addTerms, sell, advance, statement, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', { amount: 36_500 }))
  const { lead, contractNumber } = await sell()
  await advance(daysToEarn)
  await record()
  succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate: '2027-09-30' }))
  await record()
  const joiner = await replace(partner, lead, '2027-03-01')
  const { contract } = await join(partner, joiner)
  await advance(80)
  await endContracts()
  await record()
  const { startsOn, endsOn } = contract ?? {}
  const [left, whole] = [isoDate('2027-03-01'), isoDate(endsOn ?? '')]
  const rest = daysInPeriod(left, whole)
  assert.equal(startsOn, '2027-03-01')
  const lines = [...(await statement('2026-12')), ...(await statement('2027-02')), ...(await statement('2027-01'))]
  assert.deepEqual(
    lines.map((line) => [line.contractNumber === contractNumber, line.kind, line.countsOn, line.amount]),
    [
      [true, 'earned', '2026-12-16', 36_500],
      [false, 'earned', '2026-12-31', rest * 100],
      [true, 'clawback', '2027-02-28', -rest * 100],
    ],
    'whoever takes over earns what was taken back',
  )
})

test('of a household whose first day moved, the contract that ended earns nothing and counts in no tier', async () => {
  const { partner, addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-01-01', { upTo: 2, ...share }, { amount: 5_000 }))
  const [early, late] = [await sell(), await sell()]
  const move = async ({ quoteId, lead }: typeof early) => {
    succeeded(await partner.post(`/Quotes/${quoteId}/move-start`, { contractStartDate: '2027-03-01' }))
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    await advance(daysToEarn)
    assert.deepEqual((await record()).failures, [])
  }
  await move(early)
  await move(late)
  const lines = await statement('2026-12')
  const of = (contract: string) => lines.filter(({ contractNumber }) => contractNumber === contract)
  assert.deepEqual(of(early.contractNumber), [])
  const [clawback, earned] = of(late.contractNumber).sort((a, b) => a.amount - b.amount)
  assert.equal(clawback?.amount, -Number(earned?.amount))
  const now = lines.filter(
    ({ contractNumber }) => ![early, late].some((each) => each.contractNumber === contractNumber),
  )
  assert.deepEqual(
    now.map(({ kind, termDays, householdDays, numberInMonth }) => [kind, termDays, householdDays, numberInMonth]),
    [
      ['earned', 366, 366, 1 + Number(Number(earned?.numberInMonth) === 1)],
      ['earned', 366, 366, 2],
    ],
  )
})

test('a contract that is over before it has earned earns for the days that were supplied', async () => {
  const { addTerms, sell, advance, statement } = await newPartner()
  succeeded(await addTerms('2026-01-01', share))
  const { contractNumber } = await sell()
  await rawRows(
    service,
    `update contracts set status = 'ended', end_reason = 'notice', starts_on = '2026-12-01', ended_on = '2026-12-05'
     where contract_number = $1`,
    [contractNumber],
  )
  await advance(daysToEarn)
  await record()
  const [clawback, earned] = await statement('2026-12')
  assert.deepEqual([clawback?.kind, earned?.kind, clawback?.countsOn], ['clawback', 'earned', '2026-12-16'])
  const term = earned?.termDays ?? 0
  assert.equal(clawback?.amount, -part(earned?.amount ?? 0, term - 5, term))
})

test('an erased customer’s figures stay, and what is taken back later is right', async () => {
  const { addTerms, sell, advance, statement, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', share))
  const { lead, contractNumber } = await sell()
  await advance(daysToEarn)
  await record()
  const earned = await statement('2026-12')
  succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate: '2027-06-20' }))
  await advance(187)
  await endContracts()
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  await record()
  assert.deepEqual(await statement('2026-12'), earned)
  const [clawback] = await statement('2027-06')
  assert.equal(clawback?.contractNumber, contractNumber)
  assert.ok(Number(clawback?.amount) < 0)
})

test('a price reduction takes back its share on the day on which it is ordered, also after the end, and once', async () => {
  const { addTerms, sell, advance, statement, total, close, partner } = await newPartner()
  succeeded(await addTerms('2026-01-01', share))
  const { tenants } = await sell({ tenants: 2 })
  const [lead = '', other = ''] = tenants
  const list = async (customerId: string, kind = 'plan') =>
    succeeded(await operator.get<{ data: Payment[] }>(`/Payments?customerId=${customerId}&kind=${kind}`)).data
  const pay = async (payment: Payment | undefined) => {
    assert.ok(payment)
    const paid = { status: 'paid', paymentId: `pi_${payment.entryId}` }
    succeeded(await operator.post(`/Payments/${payment.entryId}/status`, paid))
    return payment.entryId
  }
  const reduce = async (entryId: string, amount: number) => {
    const order = { kind: 'price_reduction', amount, reason: 'The line was dead.' }
    const { entryId: refund, vatAmount } = succeeded(
      await operator.post<Payment>(`/Payments/${entryId}/refunds`, order),
    )
    return { refund, amount: -part(amount - (vatAmount ?? 0), 250, 10_000) }
  }
  const takenBack = async (month: string) =>
    (await statement(month))
      .filter(({ kind }) => kind === 'reduction')
      .map(({ refundEntryId, amount, countsOn, unsuppliedDays }) => [refundEntryId, amount, countsOn, unsuppliedDays])

  const paid = await pay((await list(lead))[0])
  const early = await reduce(paid, 1_000)
  // What is paid back of a fee is no part of the price.
  await rawRows(
    service,
    `insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence,
                                  description, created_at)
     select $1, partner_id, customer_id, contract_number, 'fee', due_on, 500, 'Fee', created_at from payment_entries
      where entry_id = $2`,
    [newId('entry'), paid],
  )
  await reduce(await pay((await list(lead, 'fee'))[0]), 300)
  await record()
  assert.deepEqual(await statement('2026-12'), [])
  await advance(daysToEarn)
  await record()
  await record()
  assert.deepEqual(await takenBack('2026-12'), [[early.refund, early.amount, '2026-12-16', 0]])

  await advance(17)
  const late = await reduce(paid, 2_000)
  const cancelled = await reduce(await pay((await list(other))[0]), 2_000)
  succeeded(await close('2026-12'))
  succeeded(await partner.post(`/Customers/${lead}/end-contract`, { endDate: '2027-06-20' }))
  succeeded(await partner.post(`/Customers/${other}/cancel-contract`, { informedOn: '2026-12-10' }))
  await advance(170)
  await endContracts()
  rejected(await close('2027-01'), 422, 'commission_month_open')
  await record()
  assert.deepEqual(
    (await takenBack('2027-01')).toSorted(),
    [
      [late.refund, late.amount, '2027-01-02', 0],
      [cancelled.refund, 0, '2027-01-02', 0],
    ],
    'nothing is left of what a cancelled contract earned',
  )
  const sumOf = async (customerId: string) => {
    const contractNumber = succeeded(await partner.get(`/Customers/${customerId}`)).contract?.contractNumber
    const lines = [...(await statement('2026-12')), ...(await statement('2027-01')), ...(await statement('2027-06'))]
    return lines.filter((line) => line.contractNumber === contractNumber).reduce((sum, line) => sum + line.amount, 0)
  }
  const before = await sumOf(lead)
  const ended = await reduce(paid, 3_000)
  await record()
  assert.deepEqual(
    (await takenBack('2027-06')).map((line) => line.slice(0, 2)),
    [[ended.refund, ended.amount]],
  )
  assert.equal(await sumOf(lead), before + ended.amount)
  assert.equal(await sumOf(other), 0, 'no more is taken back than was earned')
  assert.deepEqual((await total('2027-01')).clawbacks, 3)
  succeeded(await close('2027-01'))
})
