import type { PaymentNotice } from '../payment-processor.ts'
import type { LedgerStatus } from './ledger-status.ts'
import type { PaymentEntry, RefundKind } from './payment-entry.ts'

/** An entry of one contract, with what cannot be counted from reports. Amounts are in pence. */
export interface AccountEntry {
  entryId: string
  kind: PaymentEntry['kind']
  amount: number
  status: LedgerStatus
  /** The entry of which this one collects what is owed again. */
  againFor: string | null
  /** What a refund is; null for a payment. */
  refundKind: RefundKind | null
  /** The payment that a refund is for; null for one of a settlement, and for a payment. */
  refundOf: string | null
  /** Whether the operator ordered the refund. Any other follows from the account, and changes with it. */
  isOrdered: boolean
  /** Whether a compensation was set off against what is owed instead of being paid out. */
  isSetOff: boolean
  /** For a refund: what nobody had ordered of what was paid back of the contract before it was planned. */
  paidBackBefore: number
}

/** What was reported of an entry. */
export interface AccountReport {
  reportId: string
  entryId: string
  outcome: PaymentNotice['outcome'] | 'withdrawn'
  paymentId: string
  /** The refund or the dispute; null for a collection, and for the total that was refunded so far. */
  subjectId: string | null
  /** The refund for which the processor was asked to pay this back; null if it was not asked by Housebill. */
  paysRefund: string | null
  amount: number | null
  occurredAt: Date
  /** The report that this one corrects, which then counts no longer. */
  corrects: string | null
}

/** One contract's entries by due date, and their reports in the order in which they were recorded. */
export interface Account {
  entries: readonly AccountEntry[]
  reports: readonly AccountReport[]
  /** What the tenant owes in the end, before price reductions; null while the contract has its whole term. */
  finalTotal: number | null
}

/** What an entry shows, counted from its reports. */
export interface CountedEntry {
  entryId: string
  status: LedgerStatus
  amount: number
  collected: number | null
  collectedAt: Date | null
  refunded: number
  disputed: number
  contested: number
  owedAgain: number
}

/** What is settled of a contract's price, without fees for failed payments, which are owed besides. */
export interface Balance {
  /**
   * What was paid: collected or in a dispute that is not decided, less what was paid back. What the operator ordered to
   * be paid back counts from the order on; compensation does not count.
   */
  held: number
  /** What the operator gave up, and how much of that is an exit fee: no other settlement counts it. */
  waived: number
  waivedExitFee: number
  /** What is owed again and not yet back on the plan. */
  owedAgain: number
  /** By how much the price was reduced: what was ordered, and what was paid back without an order. */
  reduction: number
  /** What was paid back without an order, also if it counts towards a refund. */
  unordered: number
}

/** A refund of what has become the tenant's. */
interface RefundToAdd {
  amount: number
  refundOf: string | null
  paidBackBefore: number
}

/** The counted account. */
export interface CountedAccount {
  entries: CountedEntry[]
  balance: Balance
  /** Refunds of which more was paid back than could be, by report. */
  exceeds: ReadonlyMap<string, number>
  /** What has become the tenant's and is in no refund yet. */
  refundsToAdd: RefundToAdd[]
}

/**
 * Counts what became of a contract's money, so that what is paid and what is open add up to what is owed. The order in
 * which reports arrive does not matter:
 * - A payment was paid back as much as its refunds that did not fail say, or the total that the processor named if that
 *   is more.
 * - A dispute takes its amount unless its latest decision says that it was won. Once it is lost, the amount is owed
 *   again, and waits until it is put back on the plan. So does what was ordered to be paid back and stays owed.
 * - What was put back is owed no more than what it was put back for: if that becomes less, it is lessened or cancelled.
 *   What was paid of it beyond that, or of something that is no longer owed, becomes a refund.
 * - What was paid back counts towards the refund that it was ordered for; the rest towards the refunds of the contract in
 *   their order. What exceeds them, or what was collected, is named by report, and nothing asks for it again.
 * - After the end of a contract was settled, its refunds are what was collected beyond the final total.
 */
export function countAccount({ entries, reports, finalTotal }: Account): CountedAccount {
  const corrected = new Set(reports.map(({ corrects }) => corrects))
  const live = reports.filter(({ reportId }) => !corrected.has(reportId))
  const drafts = entries.map((entry) => {
    const all = reports.filter(({ entryId }) => entryId === entry.entryId)
    return draftOf(entry, all, new Set(live))
  })
  const payments = drafts.filter(({ entry }) => entry.kind !== 'refund')
  const refunds = drafts
    .filter(({ entry }) => entry.kind === 'refund' && entry.status !== 'cancelled')
    .sort((a, b) => a.entry.paidBackBefore - b.entry.paidBackBefore)
  for (const refund of refunds) {
    const made = refundsMade(live).filter(({ paysRefund }) => paysRefund === refund.entry.entryId)
    refund.ordered += amountsOf(made)
    refund.collectedAt ??= made[0]?.occurredAt ?? null
  }
  // A fee is owed besides the price, so what is paid back of it is part of a refund of that fee only.
  const fees = new Set(payments.filter(({ entry }) => entry.kind === 'fee').map(({ entry }) => entry.entryId))
  const isOfFee = ({ entry }: Draft) => fees.has(entry.kind === 'refund' ? (entry.refundOf ?? '') : entry.entryId)
  const pools = [false, true].map((ofFees) => {
    const pool = {
      payments: payments.filter((each) => isOfFee(each) === ofFees),
      refunds: refunds.filter((each) => isOfFee(each) === ofFees),
    }
    return { ...pool, ...payBack(pool.payments, pool.refunds) }
  })
  for (const draft of payments.filter(({ entry }) => entry.againFor === null))
    followDebt(draft, draft.amount, payments, refunds)
  const [ofPrice, ofFees] = pools
  if (ofPrice === undefined || ofFees === undefined) throw new Error('an account has two pools')
  const refundsToAdd = [
    ...(finalTotal === null ? refundExcess(ofPrice) : settle(ofPrice, finalTotal)),
    ...refundExcess(ofFees),
  ]
  return {
    entries: drafts.map(finished),
    balance: balanceOf(ofPrice),
    exceeds: exceedingReports(live, drafts, ofPrice.exceeding + ofFees.exceeding),
    refundsToAdd,
  }
}

/** An entry while its account is counted. */
interface Draft {
  entry: AccountEntry
  amount: number
  status: LedgerStatus
  /** Whether it was ever reported as paid. Otherwise it is open, given up or cancelled. */
  wasPaid: boolean
  /** Null if nothing was ever reported as paid. */
  collected: number | null
  collectedAt: Date | null
  refunded: number
  /** How much of what was refunded nobody had ordered of Housebill. */
  unordered: number
  /** What refunds and disputes took beyond what was collected. */
  exceeding: number
  disputed: number
  contested: number
  /** What is owed for it: less than its amount if it was put back for something that has become less. */
  owed: number
  /** What is owed for it and was not collected, has been taken back, or was paid back and stays owed. */
  missing: number
  /** How much of that was put back on the plan. */
  putBack: number
  owedAgain: number
  /** What was collected beyond what is owed for it, less the refunds of it that were paid. */
  excess: number
  /** For a refund: what was paid by bank, and what was paid for it by card and bank. */
  transferred: number
  ordered: number
}

/** Either what belongs to the price of a contract or its fees. */
interface Pool {
  payments: readonly Draft[]
  refunds: readonly Draft[]
  /** What was paid back without an order. */
  unordered: number
  /** How much of what was paid back belongs to no refund: nothing asks for it again. */
  given: number
  /** What transfers paid back for refunds although no payment has so much left, such as while it is in a dispute. */
  advanced: number
  /** How much of what was paid back is more than could be. */
  exceeding: number
}

function draftOf(entry: AccountEntry, all: readonly AccountReport[], isLive: ReadonlySet<AccountReport>): Draft {
  const live = all.filter((report) => isLive.has(report))
  const paid = live.filter(({ outcome }) => outcome === 'paid')
  // The same payment may be reported by the processor and by the operator.
  const collections = new Map(paid.map(({ paymentId, amount }) => [paymentId, amount ?? entry.amount]))
  const collected = sum([...collections.values()])
  const { amount, status } = entry
  const amounts = { refunded: 0, unordered: 0, exceeding: 0, disputed: 0, contested: 0, missing: 0, putBack: 0 }
  const untouched: Draft = {
    ...{ entry, amount, status, wasPaid: false, collected: null, collectedAt: null, ...amounts },
    ...{ owed: amount, owedAgain: 0, excess: 0, transferred: 0, ordered: 0 },
  }
  const collectedAt = paid.map(({ occurredAt }) => occurredAt).toSorted((a, b) => +a - +b)[0] ?? null
  if (entry.kind === 'refund') return { ...untouched, transferred: collected, ordered: collected, collectedAt }
  if (!all.some(({ outcome }) => outcome === 'paid')) return untouched

  const refundedRaw = sum([...new Set(live.map(({ paymentId }) => paymentId))].map((id) => refundedOf(id, live)))
  const disputes = disputesOf(live, collected)
  const refunded = Math.min(refundedRaw, collected)
  const disputed = Math.min(sum(disputes.map(({ amount }) => amount)), collected - refunded)
  const lost = Math.min(sum(disputes.filter(({ isLost }) => isLost).map(({ amount }) => amount)), disputed)
  const byOrder = amountsOf(refundsMade(live).filter(({ paysRefund }) => paysRefund !== null))
  return {
    ...untouched,
    wasPaid: true,
    collected,
    collectedAt,
    refunded,
    unordered: Math.max(0, refunded - byOrder),
    exceeding: Math.max(0, refundedRaw + sum(disputes.map(({ amount }) => amount)) - collected),
    disputed,
    contested: disputed - lost,
  }
}

/** The refunds to cards that did not fail. */
function refundsMade(live: readonly AccountReport[]): AccountReport[] {
  const failed = new Set(live.filter(({ outcome }) => outcome === 'refund_failed').map(({ subjectId }) => subjectId))
  return live.filter(({ outcome, subjectId }) => outcome === 'refunded' && subjectId !== null && !failed.has(subjectId))
}

/**
 * What was paid back of one payment to its card: at least the refunds that did not fail, and the latest total less what
 * failed since.
 */
function refundedOf(paymentId: string, live: readonly AccountReport[]): number {
  const ofPayment = live.filter((report) => report.paymentId === paymentId)
  const total = ofPayment
    .filter(({ outcome, subjectId }) => outcome === 'refunded' && subjectId === null)
    .toSorted((a, b) => +a.occurredAt - +b.occurredAt || (a.amount ?? 0) - (b.amount ?? 0))
    .at(-1)
  const failed = ofPayment.filter(({ outcome }) => outcome === 'refund_failed')
  const failedSince = total === undefined ? [] : failed.filter(({ occurredAt }) => occurredAt >= total.occurredAt)
  return Math.max(0, amountsOf(refundsMade(ofPayment)), (total?.amount ?? 0) - amountsOf(failedSince))
}

/** The disputes that took money and were not won: the latest report about a dispute counts. */
function disputesOf(live: readonly AccountReport[], collected: number): { amount: number; isLost: boolean }[] {
  const about = live.filter(({ outcome }) => outcome.startsWith('dispute'))
  return [...new Set(about.map(({ subjectId }) => subjectId))].flatMap((subjectId) => {
    const reports = about.filter((report) => report.subjectId === subjectId).toSorted(inOrderOfDispute)
    const last = reports.at(-1)
    if (last === undefined || last.outcome === 'dispute_won') return []
    const amount = reports.findLast((report) => report.amount !== null)?.amount ?? collected
    return [{ amount, isLost: last.outcome === 'dispute_lost' }]
  })
}

/**
 * Sorts reports about a dispute by time. The processor's times are whole seconds: a decision follows what it decides.
 */
export function inOrderOfDispute(
  a: Pick<AccountReport, 'occurredAt' | 'outcome'>,
  b: Pick<AccountReport, 'occurredAt' | 'outcome'>,
): number {
  return +a.occurredAt - +b.occurredAt || Number(a.outcome !== 'disputed') - Number(b.outcome !== 'disputed')
}

function heldOf({ collected, refunded, disputed }: Draft): number {
  return (collected ?? 0) - refunded - disputed
}

function openOf(refund: Draft): number {
  return refund.amount - (refund.collected ?? 0)
}

/**
 * Assigns what was paid back: transfers to the payments that they pay back, and everything to the refunds that it pays.
 */
function payBack(payments: readonly Draft[], refunds: readonly Draft[]): Omit<Pool, 'payments' | 'refunds'> {
  const unordered = sum(payments.map((draft) => draft.unordered))
  let unassigned = 0
  for (const refund of refunds) {
    let left = refund.transferred
    const own = payments.filter(({ entry }) => entry.entryId === refund.entry.refundOf)
    for (const draft of [...own, ...payments.toReversed()]) {
      const part = Math.min(left, heldOf(draft))
      draft.refunded += part
      left -= part
    }
    unassigned += left
  }
  let [position, given] = [0, unordered]
  for (const refund of refunds) {
    if (refund.entry.isSetOff) {
      refund.collected = refund.amount
      continue
    }
    const begin = Math.max(position, refund.entry.paidBackBefore)
    const part = clamp(unordered - begin, Math.max(0, refund.amount - refund.ordered))
    refund.collected = Math.min(refund.amount, refund.ordered) + part
    position = begin + part
    given -= part
  }
  const beyondCollected = sum(payments.map(({ exceeding }) => exceeding))
  const overflow = sum(refunds.map(({ ordered, amount }) => Math.max(0, ordered - amount)))
  const beyondRefunds = refunds.length === 0 ? 0 : Math.max(0, unordered + beyondCollected - position) + overflow
  return {
    unordered,
    given: given + Math.max(0, overflow - unassigned),
    advanced: Math.max(0, unassigned - overflow),
    exceeding: Math.max(unassigned + beyondCollected, beyondRefunds),
  }
}

/**
 * Works out what is missing of an entry and, for what was put back of it, how much of that is still owed: what was paid
 * first, then what is open, then what was given up. What is open is lessened to that or cancelled. What was submitted
 * is not lessened but cancelled, because the processor may be taking all of it.
 */
function followDebt(draft: Draft, owed: number, payments: readonly Draft[], refunds: readonly Draft[]): void {
  const { entry, status } = draft
  draft.owed = owed
  if (!draft.wasPaid) {
    if (!isAhead(status)) return
    if (owed === 0 && entry.amount > 0) draft.status = 'cancelled'
    else draft.amount = owed
    return
  }
  const back = refunds.filter(
    (each) => each.entry.refundOf === entry.entryId && each.entry.refundKind === 'payment_back',
  )
  const paidBack = sum(back.map((refund) => (refund.entry.isOrdered ? refund.amount : (refund.collected ?? 0))))
  const kept = heldOf(draft) + draft.refunded + draft.contested - paidBack
  draft.excess = Math.max(0, kept - owed)
  draft.missing = Math.max(0, owed - kept)
  let left = draft.missing
  for (const again of againOf(entry.entryId, payments)) {
    const part = Math.min(again.amount, left)
    const isAsked = again.status === 'submitted' && !again.wasPaid && part < again.amount
    followDebt(again, isAsked ? 0 : part, payments, refunds)
    if (!isAsked) left -= part
  }
  draft.putBack = draft.missing - left
  draft.owedAgain = status === 'waived' ? 0 : left
}

/** What was put back of an entry, in the order in which it takes what is still owed. */
function againOf(entryId: string, payments: readonly Draft[]): Draft[] {
  const rank = (each: Draft) => (each.wasPaid ? (heldOf(each) > 0 ? 0 : 1) : isAhead(each.status) ? 2 : 3)
  return payments
    .filter(({ entry, status, wasPaid }) => entry.againFor === entryId && (wasPaid || status !== 'cancelled'))
    .sort((a, b) => rank(a) - rank(b) || (a.entry.entryId < b.entry.entryId ? -1 : 1))
}

/** The refunds that follow from the account, not from an order. */
function isAutomatic({ entry }: Draft): boolean {
  return !entry.isOrdered
}

/**
 * While a contract has its whole term: makes the refunds of each payment what was collected of it beyond what is owed.
 */
function refundExcess(pool: Pool): RefundToAdd[] {
  return pool.payments.flatMap((draft) => {
    const { entryId } = draft.entry
    const refunds = pool.refunds.filter((each) => isAutomatic(each) && each.entry.refundOf === entryId)
    // What was paid back of it without an order, before the refund was planned.
    const given = Math.min(draft.unordered, pool.given, draft.excess)
    pool.given -= given
    return adjustRefunds(pool, refunds, { needed: draft.excess - given, refundOf: entryId })
  })
}

/** Adds what is needed to the refunds that are open, or takes from the latest of them what is not. */
function adjustRefunds(
  { unordered }: Pool,
  refunds: readonly Draft[],
  { needed, refundOf }: { needed: number; refundOf: string | null },
): RefundToAdd[] {
  const missing = needed - sum(refunds.map(openOf))
  if (missing > 0) return [{ amount: missing, refundOf, paidBackBefore: unordered }]
  let tooMuch = -missing
  for (const draft of refunds.toReversed()) {
    const part = Math.min(tooMuch, openOf(draft))
    draft.amount -= part
    tooMuch -= part
  }
  return []
}

/**
 * Makes the refunds of a settled contract what is held beyond its total, and lets nothing be owed again that is not
 * owed.
 */
function settle(pool: Pool, finalTotal: number): RefundToAdd[] {
  const { held, waived, reduction } = balanceOf(pool)
  const total = Math.max(0, finalTotal - reduction)
  const ahead = sum(
    pool.payments.filter(({ status, wasPaid }) => !wasPaid && isAhead(status)).map(({ amount }) => amount),
  )
  let owed = Math.max(0, total - held - waived - ahead)
  for (const draft of pool.payments) {
    draft.owedAgain = Math.min(draft.owedAgain, owed)
    owed -= draft.owedAgain
  }
  const needed = Math.max(0, Math.min(held, held + ahead - total))
  return adjustRefunds(pool, pool.refunds.filter(isAutomatic), { needed, refundOf: null })
}

function balanceOf({ payments, refunds, unordered, given, advanced }: Pool): Balance {
  const ofKind = (...kinds: RefundKind[]) =>
    refunds.filter(({ entry }) => entry.refundKind !== null && kinds.includes(entry.refundKind))
  const waived = payments.filter(({ status }) => status === 'waived')
  const compensated = sum(ofKind('compensation').map(({ collected }) => collected ?? 0))
  const collected = sum(payments.map((each) => heldOf(each) + each.contested)) - advanced
  const promised = sum(
    ofKind('price_reduction', 'payment_back')
      .filter(({ entry }) => entry.isOrdered)
      .map(openOf),
  )
  return {
    held: collected + compensated - promised,
    waived: sum(waived.map(givenUpOf)),
    waivedExitFee: sum(waived.filter(({ entry }) => entry.kind === 'exit_fee').map(givenUpOf)),
    owedAgain: sum(payments.map(({ owedAgain }) => owedAgain)),
    reduction: sum(ofKind('price_reduction').map(({ amount }) => amount)) + given,
    unordered,
  }
}

function givenUpOf({ wasPaid, owed, missing, putBack }: Draft): number {
  return wasPaid ? missing - putBack : owed
}

function isAhead(status: LedgerStatus): boolean {
  return status === 'planned' || status === 'submitted' || status === 'failed'
}

function finished(draft: Draft): CountedEntry {
  const { entry, amount, collected, collectedAt, refunded, disputed, contested, owedAgain } = draft
  const counted = { entryId: entry.entryId, collected, collectedAt, refunded, disputed, contested, owedAgain }
  if (entry.kind !== 'refund') return { ...counted, amount, status: statusOf(draft) }
  const paid = collected ?? 0
  if (entry.status === 'cancelled') return { ...counted, amount, status: 'cancelled' }
  // Nothing is left of a refund that has become smaller than what was open of it.
  if (amount === 0 && entry.amount > 0) return { ...counted, amount: entry.amount, status: 'cancelled' }
  const status = paid >= amount ? 'paid' : entry.status === 'paid' ? 'planned' : entry.status
  return { ...counted, amount, status, collected: paid === 0 ? null : paid }
}

function statusOf(draft: Draft): LedgerStatus {
  const { entry, collected, refunded, disputed, contested, owedAgain, putBack } = draft
  if (collected === null) return draft.status
  const isLostStill = disputed - contested > putBack && (owedAgain > 0 || entry.status === 'waived')
  const status =
    contested > 0 || isLostStill
      ? 'disputed'
      : heldOf(draft) === 0 && (collected === 0 || disputed > 0)
        ? 'reopened'
        : refunded >= collected - disputed
          ? 'refunded'
          : 'paid'
  return entry.status === 'waived' && (status === 'disputed' || status === 'reopened') ? 'waived' : status
}

/** Names the latest refunds that together are more than could be paid back. */
function exceedingReports(
  live: readonly AccountReport[],
  drafts: readonly Draft[],
  exceeding: number,
): Map<string, number> {
  const transfers = new Set(drafts.filter(({ entry }) => entry.kind === 'refund').map(({ entry }) => entry.entryId))
  const failed = new Set(live.filter(({ outcome }) => outcome === 'refund_failed').map(({ subjectId }) => subjectId))
  const candidates = live.filter(
    ({ outcome, subjectId, entryId }) =>
      (outcome === 'refunded' && !(subjectId !== null && failed.has(subjectId))) ||
      (outcome === 'paid' && transfers.has(entryId)),
  )
  const isTotal = ({ outcome, subjectId }: AccountReport) => outcome === 'refunded' && subjectId === null
  // A total only repeats what refunds say, unless they are not reported.
  const latestFirst = candidates.toReversed()
  const [totals, single] = [latestFirst.filter(isTotal), latestFirst.filter((report) => !isTotal(report))]
  const found = new Map<string, number>()
  let left = exceeding
  for (const { reportId, amount } of [...single, ...totals]) {
    const part = Math.min(left, amount ?? 0)
    if (part > 0) found.set(reportId, part)
    left -= part
  }
  return found
}

function amountsOf(reports: readonly AccountReport[]): number {
  return sum(reports.map(({ amount }) => amount ?? 0))
}

function clamp(amount: number, most: number): number {
  return Math.max(0, Math.min(amount, most))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
