import type { PaymentNotice } from '../payment-processor.ts'
import type { LedgerStatus } from './ledger-status.ts'
import type { PaymentEntry } from './payment-entry.ts'

/** An entry of one contract, with what cannot be counted from reports. Amounts are in pence. */
export interface AccountEntry {
  entryId: string
  kind: PaymentEntry['kind']
  amount: number
  status: LedgerStatus
  /** For a refund: what was paid back of the contract before it was planned. */
  paidBackBefore: number
  /** How much of it was put back on the plan, as other entries. */
  putBack: number
}

/** What was reported of an entry. */
export interface AccountReport {
  reportId: string
  entryId: string
  outcome: PaymentNotice['outcome'] | 'withdrawn'
  paymentId: string
  /** The refund or the dispute; null for a collection, and for the total that was refunded so far. */
  subjectId: string | null
  amount: number | null
  occurredAt: Date
  /** The report that this one corrects, which then counts no longer. */
  corrects: string | null
}

/** One contract's entries by due date, and their reports in the order in which they were recorded. */
export interface Account {
  entries: readonly AccountEntry[]
  reports: readonly AccountReport[]
  /** What the tenant owes in the end; null while the contract has its whole term. */
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

/** The counted account. */
export interface CountedAccount {
  entries: CountedEntry[]
  /** What was paid back of the contract in total. */
  paidBack: number
  /** Refunds of which more was paid back than could be, by report. */
  exceeds: ReadonlyMap<string, number>
  /** What has become the tenant's and is in no refund yet. */
  refundToAdd: { amount: number; paidBackBefore: number } | null
}

/**
 * Counts what became of a contract's money. The order in which reports arrive does not matter:
 * - A payment was paid back as much as its refunds that did not fail say, or the total that the processor named if that
 *   is more.
 * - A dispute takes its amount until it is won. Once it is lost, the amount is owed again, and waits until it is put
 *   back on the plan.
 * - What was paid back counts towards the refunds of the contract in their order, whether by card or by bank. What
 *   exceeds them, or what was collected, is named by report and changes nothing else.
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

  // A fee is owed besides the price, so what is paid back of it is no part of a refund.
  const ofPrice = payments.filter(({ entry }) => entry.kind !== 'fee')
  const byBank = sum(refunds.map(({ transferred }) => transferred))
  let toAssign = byBank
  for (const draft of ofPrice.toReversed()) {
    const part = Math.min(toAssign, heldOf(draft))
    draft.refunded += part
    toAssign -= part
  }
  const paidBack = toAssign + sum(ofPrice.map(({ refunded }) => refunded))
  for (const draft of refunds) draft.collected = clamp(paidBack - draft.entry.paidBackBefore, draft.amount)

  const last = refunds.at(-1)
  const beyondPayments = toAssign + sum(payments.map(({ exceeding }) => exceeding))
  const moved = paidBack + sum(ofPrice.map(({ exceeding }) => exceeding))
  const beyondRefunds = last === undefined ? 0 : moved - (last.entry.paidBackBefore + last.amount)
  const exceeding = Math.max(beyondPayments, beyondRefunds)
  const refundToAdd = finalTotal === null ? null : settle(ofPrice, refunds, { finalTotal, paidBack })
  return {
    entries: drafts.map(finished),
    paidBack,
    exceeds: exceedingReports(live, drafts, exceeding),
    refundToAdd,
  }
}

/** An entry while its account is counted. */
interface Draft {
  entry: AccountEntry
  amount: number
  /** Null if nothing was ever reported as paid. */
  collected: number | null
  collectedAt: Date | null
  refunded: number
  /** What refunds and disputes took beyond what was collected. */
  exceeding: number
  disputed: number
  contested: number
  owedAgain: number
  /** For a refund: what was paid by bank. */
  transferred: number
}

function draftOf(entry: AccountEntry, all: readonly AccountReport[], isLive: ReadonlySet<AccountReport>): Draft {
  const live = all.filter((report) => isLive.has(report))
  const paid = live.filter(({ outcome }) => outcome === 'paid')
  // The same payment may be reported by the processor and by the operator.
  const collections = new Map(paid.map(({ paymentId, amount }) => [paymentId, amount ?? entry.amount]))
  const collected = sum([...collections.values()])
  const draft = { entry, amount: entry.amount, collected: null, collectedAt: null, refunded: 0, exceeding: 0 }
  const untouched: Draft = { ...draft, disputed: 0, contested: 0, owedAgain: 0, transferred: 0 }
  const collectedAt = paid.map(({ occurredAt }) => occurredAt).toSorted((a, b) => +a - +b)[0] ?? null
  if (entry.kind === 'refund') return { ...untouched, transferred: collected, collectedAt }
  const wasPaid = all.some(({ outcome }) => outcome === 'paid')
  if (!wasPaid) return untouched

  const refundedRaw = sum([...new Set(live.map(({ paymentId }) => paymentId))].map((id) => refundedOf(id, live)))
  const disputes = disputesOf(live, collected)
  const refunded = Math.min(refundedRaw, collected)
  const disputed = Math.min(sum(disputes.map(({ amount }) => amount)), collected - refunded)
  const lost = Math.min(sum(disputes.filter(({ isLost }) => isLost).map(({ amount }) => amount)), disputed)
  const withdrawn = paid.length === 0 ? entry.amount : 0
  return {
    ...untouched,
    collected,
    collectedAt,
    refunded,
    exceeding: Math.max(0, refundedRaw + sum(disputes.map(({ amount }) => amount)) - collected),
    disputed,
    contested: disputed - lost,
    owedAgain: entry.status === 'waived' ? 0 : Math.max(0, lost + withdrawn - entry.putBack),
  }
}

/**
 * What was paid back of one payment to its card: at least the refunds that did not fail, and the latest total less what
 * failed since.
 */
function refundedOf(paymentId: string, live: readonly AccountReport[]): number {
  const ofPayment = live.filter((report) => report.paymentId === paymentId)
  const failed = ofPayment.filter(({ outcome }) => outcome === 'refund_failed')
  const failedIds = new Set(failed.map(({ subjectId }) => subjectId))
  const refunds = ofPayment.filter(({ outcome }) => outcome === 'refunded')
  const single = refunds.filter(({ subjectId }) => subjectId !== null && !failedIds.has(subjectId))
  const total = refunds
    .filter(({ subjectId }) => subjectId === null)
    .toSorted((a, b) => +a.occurredAt - +b.occurredAt || (a.amount ?? 0) - (b.amount ?? 0))
    .at(-1)
  const failedSince = total === undefined ? [] : failed.filter(({ occurredAt }) => occurredAt >= total.occurredAt)
  return Math.max(0, amountsOf(single), (total?.amount ?? 0) - amountsOf(failedSince))
}

/** The disputes that took money and were not won. */
function disputesOf(live: readonly AccountReport[], collected: number): { amount: number; isLost: boolean }[] {
  const about = live.filter(({ outcome }) => outcome.startsWith('dispute'))
  return [...new Set(about.map(({ subjectId }) => subjectId))].flatMap((subjectId) => {
    const reports = about.filter((report) => report.subjectId === subjectId)
    if (reports.some(({ outcome }) => outcome === 'dispute_won')) return []
    const amount = reports.find((report) => report.amount !== null)?.amount ?? collected
    return [{ amount, isLost: reports.some(({ outcome }) => outcome === 'dispute_lost') }]
  })
}

function heldOf({ collected, refunded, disputed }: Draft): number {
  return (collected ?? 0) - refunded - disputed
}

/**
 * Makes the refunds of a settled contract what is held beyond its total, and lets nothing be owed again that is not
 * owed.
 */
function settle(
  ofPrice: Draft[],
  refunds: Draft[],
  { finalTotal, paidBack }: { finalTotal: number; paidBack: number },
): CountedAccount['refundToAdd'] {
  const held = sum(ofPrice.map(heldOf)) + sum(ofPrice.map(({ contested }) => contested))
  const given = ofPrice.filter(({ entry }) => entry.status === 'waived').map((each) => each.amount - heldOf(each))
  const ahead = ofPrice.filter(({ entry }) => isAhead(entry.status)).map(({ amount }) => amount)
  let owed = Math.max(0, finalTotal - held - sum(given) - sum(ahead))
  for (const draft of ofPrice) {
    draft.owedAgain = Math.min(draft.owedAgain, owed)
    owed -= draft.owedAgain
  }
  const open = sum(refunds.map(({ amount, collected }) => amount - (collected ?? 0)))
  const missing = Math.max(0, held - finalTotal) - open
  const last = refunds.at(-1)
  if (missing > 0) {
    const before = last === undefined ? 0 : last.entry.paidBackBefore + last.amount
    return { amount: missing, paidBackBefore: Math.max(before, paidBack) }
  }
  let tooMuch = -missing
  for (const draft of refunds.toReversed()) {
    const part = Math.min(tooMuch, draft.amount - (draft.collected ?? 0))
    draft.amount -= part
    tooMuch -= part
  }
  return null
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
  const { entry, collected, refunded, disputed, contested, owedAgain } = draft
  if (collected === null) return entry.status
  const isLostStill = disputed - contested > entry.putBack && (owedAgain > 0 || entry.status === 'waived')
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
