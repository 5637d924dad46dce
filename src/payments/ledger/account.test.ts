import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Account, type AccountEntry, type AccountReport, countAccount } from './account.ts'

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000)
const payment = (entryId: string, changes: Partial<AccountEntry> = {}): AccountEntry => ({
  ...{ entryId, kind: 'plan', amount: 1_000, status: 'planned', paidBackBefore: 0, putBack: 0 },
  ...changes,
})
const refund = (entryId: string, amount: number, paidBackBefore = 0): AccountEntry =>
  payment(entryId, { kind: 'refund', amount, paidBackBefore })

let reported = 0
const report = (
  entryId: string,
  outcome: AccountReport['outcome'],
  amount: number | null,
  changes: Partial<AccountReport> = {},
): AccountReport => {
  reported += 1
  const about = { reportId: `r${reported}`, entryId, outcome, amount, paymentId: `pi_${entryId}` }
  return { ...about, subjectId: null, occurredAt: at(reported), corrects: null, ...changes }
}
const count = (entries: AccountEntry[], reports: AccountReport[], finalTotal: Account['finalTotal'] = null) =>
  countAccount({ entries, reports, finalTotal })
const shown = (counted: ReturnType<typeof count>) =>
  counted.entries.map(({ entryId, status, collected, refunded }) => [entryId, status, collected, refunded])

test('a refund and the total that repeats it count once, in whatever order they arrive', () => {
  const reports = [
    report('a', 'paid', 1_000),
    report('a', 'refunded', 300, { subjectId: 're_1', occurredAt: at(1) }),
    report('a', 'refunded', 300, { occurredAt: at(1) }),
    report('a', 'refund_failed', 300, { subjectId: 're_1', occurredAt: at(1) }),
    report('a', 'refunded', 300, { subjectId: 're_2', occurredAt: at(1) }),
    report('a', 'refunded', 300, { occurredAt: at(1) }),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (order) => {
      assert.deepEqual(shown(count([payment('a')], order)), [['a', 'paid', 1_000, 300]])
    }),
  )
})

test('a total alone counts, less the refunds that failed since', () => {
  const total = report('a', 'refunded', 700)
  const paid = report('a', 'paid', 1_000)
  assert.equal(count([payment('a')], [paid, total]).entries[0]?.refunded, 700)
  const failed = report('a', 'refund_failed', 200, { subjectId: 're_9' })
  assert.equal(count([payment('a')], [paid, total, failed]).entries[0]?.refunded, 500)
})

test('a transfer counts as paid back of the latest payments first, and what is too much is named', () => {
  const entries = [payment('a'), payment('b'), refund('r', 1_500)]
  const reports = [report('a', 'paid', 1_000), report('b', 'paid', 1_000), report('r', 'paid', 1_500)]
  assert.deepEqual(shown(count(entries, reports)), [
    ['a', 'paid', 1_000, 500],
    ['b', 'refunded', 1_000, 1_000],
    ['r', 'paid', 1_500, 0],
  ])
  const again = report('r', 'paid', 600, { paymentId: 'second' })
  const counted = count(entries, [...reports, again])
  assert.deepEqual([...counted.exceeds], [[again.reportId, 600]])
  assert.equal(counted.entries[1]?.refunded, 1_000)
})

test('nothing that is reported makes an entry show more than was collected, or less than nothing', () => {
  const outcome = fc.constantFrom(
    'paid',
    'refunded',
    'refund_failed',
    'disputed',
    'dispute_won',
    'dispute_lost' as const,
  )
  const anyReport = fc
    .record({
      entryId: fc.constantFrom('a', 'b', 'r'),
      outcome,
      amount: fc.option(fc.integer({ min: 0, max: 2_000 })),
      subject: fc.constantFrom(null, 's1', 's2'),
      second: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ entryId, outcome, amount, subject, second }) =>
      report(entryId, outcome, amount, { subjectId: subject, occurredAt: at(second) }),
    )
  const entries = [payment('a'), payment('b', { status: 'waived' }), refund('r', 900)]
  fc.assert(
    fc.property(
      fc.array(anyReport, { maxLength: 12 }),
      fc.option(fc.integer({ min: 0, max: 3_000 })),
      (reports, total) => {
        const counted = count(entries, reports, total)
        for (const { collected, refunded, disputed, contested, owedAgain, amount } of counted.entries) {
          const held = (collected ?? 0) - refunded - disputed
          assert.ok(
            held >= 0 && refunded >= 0 && contested >= 0 && contested <= disputed && owedAgain >= 0 && amount >= 0,
          )
        }
        for (const pence of counted.exceeds.values()) assert.ok(pence > 0)
        if (total === null) return assert.equal(counted.refundToAdd, null)
        // Once the end is settled, the refunds that are open are exactly what is held beyond the total.
        const priced = counted.entries.slice(0, 2)
        const held = priced.reduce(
          (sum, each) => sum + (each.collected ?? 0) - each.refunded - each.disputed + each.contested,
          0,
        )
        const open = counted.entries
          .filter(({ entryId, status }) => entryId === 'r' && status !== 'cancelled')
          .reduce((sum, each) => sum + each.amount - (each.collected ?? 0), 0)
        assert.equal(open + (counted.refundToAdd?.amount ?? 0), Math.max(0, held - total))
      },
    ),
    { numRuns: 2_000 },
  )
})
