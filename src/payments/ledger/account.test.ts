import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Account, type AccountEntry, type AccountReport, countAccount } from './account.ts'

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000)
const payment = (entryId: string, changes: Partial<AccountEntry> = {}): AccountEntry => ({
  ...{ entryId, kind: 'plan', amount: 1_000, status: 'planned', paidBackBefore: 0, againFor: null, refundKind: null },
  ...{ refundOf: null, isOrdered: false, isSetOff: false },
  ...changes,
})
const refund = (entryId: string, amount: number, paidBackBefore = 0): AccountEntry =>
  payment(entryId, { kind: 'refund', refundKind: 'payment_back', amount, paidBackBefore })

let reported = 0
const report = (
  entryId: string,
  outcome: AccountReport['outcome'],
  amount: number | null,
  changes: Partial<AccountReport> = {},
): AccountReport => {
  reported += 1
  const about = { reportId: `r${reported}`, entryId, outcome, amount, paymentId: `pi_${entryId}` }
  return { ...about, subjectId: null, paysRefund: null, occurredAt: at(reported), corrects: null, ...changes }
}
const count = (entries: AccountEntry[], reports: AccountReport[], finalTotal: Account['finalTotal'] = null) =>
  countAccount({ entries, reports, finalTotal })
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)
/** What is still to be paid back, with what is to be planned. Compensation is not part of it. */
function openRefunds(entries: readonly AccountEntry[], counted: ReturnType<typeof count>): number {
  const open = counted.entries.map(({ amount, collected, status }, index) => {
    const entry = entries[index]
    const isOpen = entry?.kind === 'refund' && entry.refundKind !== 'compensation' && status !== 'cancelled'
    return isOpen ? amount - (collected ?? 0) : 0
  })
  return sum(open) + sum(counted.refundsToAdd.map(({ amount }) => amount))
}
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
        if (total === null) return
        // Once the end is settled, the refunds that are open are exactly what is held and planned beyond the total.
        const { held, reduction } = counted.balance
        const ahead = sum(
          counted.entries
            .filter(({ status }) => status === 'planned')
            .map(({ entryId, amount }) => (entryId === 'r' ? 0 : amount)),
        )
        const owed = Math.max(0, total - reduction)
        assert.equal(openRefunds(entries, counted), Math.max(0, Math.min(held, held + ahead - owed)))
      },
    ),
    { numRuns: 2_000 },
  )
})

/** Something that happens to an account. `which` and `amount` choose among what is possible then. */
const happenings = [
  ...['paid', 'submitted', 'failed', 'late success', 'corrected', 'put back', 'waived', 'dispute opened'],
  ...['dispute lost', 'dispute won', 'refunded in part', 'refund ordered', 'refund paid', 'refund failed'],
] as const

/** An account as the ledger keeps it: every change is followed by a count, which is stored. */
function ledgerOf(amounts: readonly number[]) {
  let entries = amounts.map((amount, index) => payment(`e${index}`, { amount }))
  const reports: AccountReport[] = []
  const disputes: { entryId: string; paymentId: string; amount: number; subjectId: string; isLost: boolean }[] = []
  const [waived, reduced, unordered] = [[], [], []] as [number[], number[], number[]]
  let counted = count(entries, reports)
  let made = 0
  const newId = (prefix: string) => `${prefix}${String(++made).padStart(4, '0')}`
  const pick = <Item>(items: readonly Item[], which: number): Item | undefined => items[which % items.length]
  const isPayment = ({ kind }: AccountEntry) => kind !== 'refund'
  const stateOf = (entryId: string) => {
    const found = counted.entries.find((each) => each.entryId === entryId)
    if (found === undefined) throw new Error('no such entry')
    return found
  }
  const heldOf = (entryId: string) => {
    const { collected, refunded, disputed } = stateOf(entryId)
    return (collected ?? 0) - refunded - disputed
  }
  const setStatus = (entryId: string, status: AccountEntry['status']) => {
    entries = entries.map((each) => (each.entryId === entryId ? { ...each, status } : each))
  }
  const refundable = () => entries.filter((each) => isPayment(each) && heldOf(each.entryId) > 0)
  const openRefund = (which: number) =>
    pick(
      entries.filter((each) => each.kind === 'refund' && ['planned', 'failed'].includes(each.status)),
      which,
    )
  const pay = ({ entryId, amount }: AccountEntry) => {
    const paymentId = newId('pi')
    reports.push(report(entryId, 'paid', amount, { paymentId, reportId: newId('op') }))
    setStatus(entryId, 'paid')
  }
  const wasSubmitted = new Set<string>()
  const steps: Record<(typeof happenings)[number], (which: number, amount: number) => void> = {
    paid(which) {
      const due = entries.filter(
        (each) => isPayment(each) && ['planned', 'submitted', 'failed', 'reopened'].includes(each.status),
      )
      const entry = pick(due, which)
      if (entry !== undefined) pay(entry)
    },
    submitted(which) {
      const entry = pick(
        entries.filter((each) => isPayment(each) && ['planned', 'failed'].includes(each.status)),
        which,
      )
      if (entry === undefined) return
      wasSubmitted.add(entry.entryId)
      setStatus(entry.entryId, 'submitted')
    },
    failed(which) {
      const entry = pick(
        entries.filter((each) => isPayment(each) && each.status === 'submitted'),
        which,
      )
      if (entry !== undefined) setStatus(entry.entryId, 'failed')
    },
    'late success'(which) {
      const entry = pick(
        entries.filter((each) => each.status === 'cancelled' && wasSubmitted.has(each.entryId)),
        which,
      )
      if (entry !== undefined) pay(entry)
    },
    corrected(which) {
      const wrong = pick(
        reports.filter(
          ({ reportId, outcome }) => outcome === 'paid' && !reports.some((each) => each.corrects === reportId),
        ),
        which,
      )
      // The operator corrects no payment that was paid back or disputed since.
      if (
        wrong === undefined ||
        heldOf(wrong.entryId) < (wrong.amount ?? 0) ||
        !isPayment(entries.find(({ entryId }) => entryId === wrong.entryId) ?? payment(''))
      )
        return
      reports.push(report(wrong.entryId, 'withdrawn', null, { paymentId: wrong.paymentId, corrects: wrong.reportId }))
    },
    'put back'(which, amount) {
      const entry = pick(
        entries.filter(({ entryId }) => stateOf(entryId).owedAgain > 0),
        which,
      )
      if (entry === undefined) return
      const owed = stateOf(entry.entryId).owedAgain
      entries = [
        ...entries,
        payment(newId('x'), { amount: amount % 2 === 0 ? owed : 1 + (amount % owed), againFor: entry.entryId }),
      ]
    },
    waived(which) {
      const entry = pick(
        entries.filter(({ againFor, status }) => againFor !== null && status === 'planned'),
        which,
      )
      if (entry === undefined) return
      waived.push(entry.amount)
      setStatus(entry.entryId, 'waived')
    },
    'dispute opened'(which) {
      const entry = pick(refundable(), which)
      const paid = reports.findLast((each) => each.entryId === entry?.entryId && each.outcome === 'paid')
      if (entry === undefined || paid === undefined) return
      const dispute = {
        entryId: entry.entryId,
        paymentId: paid.paymentId,
        amount: heldOf(entry.entryId),
        subjectId: newId('dp'),
        isLost: false,
      }
      disputes.push(dispute)
      reports.push(
        report(dispute.entryId, 'disputed', dispute.amount, {
          paymentId: paid.paymentId,
          subjectId: dispute.subjectId,
        }),
      )
    },
    'dispute lost': (which) => decide(which, 'dispute_lost'),
    'dispute won': (which) => decide(which, 'dispute_won'),
    'refunded in part'(which, amount) {
      const entry = pick(refundable(), which)
      const paid = reports.findLast((each) => each.entryId === entry?.entryId && each.outcome === 'paid')
      if (entry === undefined || paid === undefined) return
      const part = 1 + (amount % heldOf(entry.entryId))
      unordered.push(part)
      reports.push(report(entry.entryId, 'refunded', part, { paymentId: paid.paymentId, subjectId: newId('re') }))
    },
    'refund ordered'(which, amount) {
      const entry = pick(refundable(), which)
      if (entry === undefined) return
      const refundKind = pick(['price_reduction', 'compensation', 'payment_back'] as const, which) ?? 'compensation'
      const part = 1 + (amount % heldOf(entry.entryId))
      if (refundKind === 'price_reduction') reduced.push(part)
      const about = { refundKind, refundOf: entry.entryId, isOrdered: true, paidBackBefore: counted.balance.unordered }
      entries = [...entries, { ...refund(newId('r'), part), ...about }]
    },
    'refund paid'(which, amount) {
      const open = openRefund(which)
      if (open === undefined) return
      const state = stateOf(open.entryId)
      const left = state.amount - (state.collected ?? 0)
      const from = refundable().find(({ entryId }) => entryId === open.refundOf && heldOf(entryId) >= left)
      const paid = reports.findLast((each) => each.entryId === from?.entryId && each.outcome === 'paid')
      if (paid === undefined || amount % 2 === 0) {
        reports.push(report(open.entryId, 'paid', left, { paymentId: newId('bacs') }))
        return
      }
      reports.push(
        report(paid.entryId, 'refunded', left, {
          paymentId: paid.paymentId,
          subjectId: newId('re'),
          paysRefund: open.entryId,
        }),
      )
    },
    'refund failed'(which) {
      const failed = new Set(
        reports.filter(({ outcome }) => outcome === 'refund_failed').map(({ subjectId }) => subjectId),
      )
      const made = pick(
        reports.filter(({ outcome, subjectId }) => outcome === 'refunded' && !failed.has(subjectId)),
        which,
      )
      if (made !== undefined) reports.push({ ...made, reportId: newId('f'), outcome: 'refund_failed' })
    },
  }
  function decide(which: number, outcome: 'dispute_lost' | 'dispute_won') {
    const dispute = pick(disputes, which)
    if (dispute === undefined) return
    // A later decision of the same dispute is an appeal. Some arrive as a new review first.
    const about = { paymentId: dispute.paymentId, subjectId: dispute.subjectId }
    if (which % 3 === 0) reports.push(report(dispute.entryId, 'disputed', dispute.amount, about))
    reports.push(report(dispute.entryId, outcome, dispute.amount, about))
    dispute.isLost = outcome === 'dispute_lost'
  }
  const amountOf = ({ amount }: { amount: number | null }) => amount ?? 0
  const live = (outcome: AccountReport['outcome']) =>
    reports.filter((each) => each.outcome === outcome && !reports.some(({ corrects }) => corrects === each.reportId))
  /** What is left of a payment by what was reported, without transfers. A dispute counts once it is lost. */
  function cashOf(id: string): number {
    const failed = new Set(live('refund_failed').map(({ subjectId }) => subjectId))
    const refunded = live('refunded').filter(({ entryId, subjectId }) => entryId === id && !failed.has(subjectId))
    const left =
      sum(
        live('paid')
          .filter(({ entryId }) => entryId === id)
          .map(amountOf),
      ) - sum(refunded.map(amountOf))
    const lost = disputes.filter(({ entryId, isLost }) => entryId === id && isLost)
    return left - Math.min(left, sum(lost.map(amountOf)))
  }
  return {
    step(happening: (typeof happenings)[number], which: number, amount: number) {
      steps[happening](which, amount)
      // Twice: a count of what was just stored changes nothing.
      for (const time of [1, 2]) {
        counted = count(entries, reports)
        if (time === 2) assert.deepEqual(counted.refundsToAdd, [])
        entries = entries.map((each) => ({ ...each, ...pickStored(stateOf(each.entryId)) }))
        for (const { amount, refundOf, paidBackBefore } of counted.refundsToAdd)
          entries = [...entries, { ...refund(newId('r'), amount, paidBackBefore), refundOf }]
      }
    },
    check() {
      const payments = counted.entries.filter((_, index) => entries[index]?.kind !== 'refund')
      const compensated = counted.entries.filter((_, index) => entries[index]?.refundKind === 'compensation')
      const transferred = sum(
        live('paid')
          .filter(({ entryId }) => !payments.some((each) => each.entryId === entryId))
          .map(amountOf),
      )
      const paid =
        sum(payments.map(({ entryId }) => cashOf(entryId))) -
        transferred +
        sum(compensated.map(({ collected }) => collected ?? 0))
      const open = payments.filter(({ status }) => ['planned', 'submitted', 'failed'].includes(status))
      const demanded = sum(open.map(({ amount }) => amount)) + sum(payments.map(({ owedAgain }) => owedAgain))
      const found = paid + demanded - openRefunds(entries, counted)
      const owed = sum(amounts) - sum(reduced)
      assert.ok(found <= owed, `${found} is paid and open of ${owed}`)
      assert.ok(found >= owed - sum(waived) - sum(unordered), `only ${found} is paid and open of ${owed}`)
    },
  }
}
const pickStored = ({ status, amount }: { status: AccountEntry['status']; amount: number }) => ({ status, amount })

test('whatever is reported in whatever order, what is paid and open adds up to what is owed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.constantFrom(...happenings), fc.nat(20), fc.nat(1_000)), { maxLength: 25 }),
      (amounts, what) => {
        const ledger = ledgerOf(amounts)
        for (const [happening, which, amount] of what) {
          ledger.step(happening, which, amount)
          ledger.check()
        }
      },
    ),
    { numRuns: 3_000 },
  )
})
