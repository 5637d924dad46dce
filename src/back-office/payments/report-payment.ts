import { createHash } from 'node:crypto'
import { queueMails, type TenantMailDependencies } from '../../contracts/mails/queue-mails.ts'
import type { Caller } from '../../partners/caller.ts'
import { reportPaymentChange } from '../../payments/change-payment-status.ts'
import { inOrderOfDispute } from '../../payments/ledger/account.ts'
import { type LedgerStatus, paymentMayBecome, type ReportableStatus } from '../../payments/ledger/ledger-status.ts'
import {
  findOwnerOfEntry,
  type ListedReport,
  listReportsOfEntry,
  type OperatorPayment,
  recordWaiver,
  updateEntryStatus,
} from '../../payments/ledger/operator-payments.store.ts'
import { insertPaymentReport } from '../../payments/ledger/payment-reports.store.ts'
import { recordPayment } from '../../payments/ledger/record-payment.ts'
import { recount } from '../../payments/ledger/recount.ts'
import { loadPayment, lockQuoteOfPayment } from '../../payments/load-payment.ts'
import type { PaymentErrorCode } from '../../payments/payment-error.ts'
import { listOpenOrders } from '../../payments/refunding/refunding.store.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'

/** What the operator says of a payment. */
export interface PaymentStatusReport {
  status: ReportableStatus
  /**
   * In pence. Of a payment that was refunded, the total that was paid back so far. Everything that is open if it is
   * missing.
   */
  amount?: number | undefined
  /** The processor's id of the payment, or the operator's own. That of the last attempt if it is missing. */
  paymentId?: string | undefined
  /** Now if it is missing. */
  occurredAt: Date | undefined
  /** Why an attempt failed. */
  error?: PaymentErrorCode | undefined
  /** Why the operator gives it up. */
  reason?: string | undefined
  comment?: string | undefined
}

/**
 * POST /operator-api/Payments/{entryId}/status: records what the operator knows of a payment, as a notice of the
 * processor would, and tells the tenant what is waived. Repeating it is harmless. Throws `payment_status_not_allowed` for a status that cannot follow and
 * for a transfer that pays a refund which the processor may be paying, `validation_failed` and `not_found`.
 */
export function reportPayment(
  deps: TenantMailDependencies & { db: Database },
  caller: Caller,
  { entryId, ...report }: PaymentStatusReport & { entryId: Id<'entry'> },
): Promise<OperatorPayment> {
  const { partnerId } = caller
  const { db, cipher } = deps
  requireReasonOfWaiver(report)
  return inTransaction(db, caller, async (tx) => {
    const { quote } = await lockQuoteOfPayment(tx, cipher, partnerId, entryId)
    const payment = await loadPayment(tx, cipher, partnerId, entryId)
    const reports = await listReportsOfEntry(tx, partnerId, entryId)
    if (isReported(payment, reports, report)) return payment
    requireStatus(payment, reports, report.status)
    requireAmount(payment, report)
    requireWholePayment(payment, report)
    await requireAnsweredOrders(tx, payment, report)
    await record(tx, cipher, { quote, payment, reports, report, now: caller.now })
    if (report.status === 'waived') await tellOfWaiver(tx, deps, caller, { quote, payment, report })
    return loadPayment(tx, cipher, partnerId, entryId)
  })
}

/** The partner to which a payment belongs; undefined for an unknown id. */
export function findPaymentEntryOwner({ db }: { db: Database }, entryId: string): ReturnType<typeof findOwnerOfEntry> {
  return findOwnerOfEntry(db, entryId)
}

/** Notes why a payment is waived, and tells the tenant, unless it is money that their bank took back. */
async function tellOfWaiver(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Caller,
  { quote, payment, report }: Pick<Recording, 'quote' | 'payment' | 'report'>,
): Promise<void> {
  const { customerId, description, contractNumber, status } = payment
  const { reason, comment = null } = report
  if (reason !== undefined) await recordWaiver(tx, deps.cipher, payment, { reason, comment })
  const tenant = quote.tenants.find(({ tenantId }) => tenantId === customerId)
  if (tenant === undefined || status === 'disputed' || contractNumber === null) return
  const facts = { amount: payment.owedAgain || payment.amount, description }
  await queueMails(tx, deps, caller, quote, [
    { kind: 'payment_waived', customerId, contractNumber, personal: tenant.personal, facts },
  ])
}

function requireReasonOfWaiver({ status, reason, comment }: PaymentStatusReport): void {
  if (status !== 'waived' && reason !== undefined)
    throw invalid('/reason', 'not_allowed', 'Only a payment that you waive has a reason.')
  if (reason === undefined && comment !== undefined)
    throw invalid('/comment', 'not_allowed', 'Send the reason with it, in one line.')
}

interface Recording {
  quote: Quote
  payment: OperatorPayment
  reports: readonly ListedReport[]
  report: PaymentStatusReport
  now: Date
}

async function record(tx: Tx, cipher: FieldCipher, about: Recording): Promise<void> {
  const { quote, payment, reports, report, now } = about
  const { entryId, partnerId, customerId, kind } = payment
  const { status, occurredAt = now } = report
  const isRefund = kind === 'refund'
  if (status === 'submitted' || status === 'waived' || (isRefund && status === 'failed')) {
    const paymentId = status === 'waived' ? null : requirePaymentId(payment, report)
    await updateEntryStatus(tx, partnerId, entryId, { status, paymentId })
    await recount(tx, partnerId, entryId, { now })
    await reportPaymentChange(tx, quote, customerId, now)
    return
  }
  const paymentId = requirePaymentId(payment, report)
  const collected = payment.collectedAmount ?? 0
  const open = isRefund ? payment.amount - collected || payment.amount : payment.amount
  const amount = pence(report.amount ?? (status === 'paid' || status === 'failed' ? open : collected))
  const reportId = reportIdOf(entryId, [paymentId, status, occurredAt.toISOString(), amount].join(':'))
  const notice = { noticeId: reportId, reportId, occurredAt, paymentId, amount }
  if (status !== 'paid' && status !== 'failed') {
    const subjectId = status === 'refunded' ? null : disputeOf(reports, status, reportId)
    await recordPayment(tx, cipher, quote, customerId, { ...notice, kind: 'reversal', outcome: status, subjectId }, now)
    return
  }
  if (isRefund) {
    const transfer = { ...notice, partnerId, customerId, entryId, outcome: 'paid', subjectId: null } as const
    await insertPaymentReport(tx, transfer)
    await recount(tx, partnerId, entryId, { now })
    await reportPaymentChange(tx, quote, customerId, now)
    return
  }
  const error = status === 'failed' ? (report.error ?? 'processing_error') : null
  const processorCustomerId = payment.processorCustomerId ?? ''
  const collection = { ...notice, kind: 'collection', outcome: status, error, entryId, processorCustomerId } as const
  await recordPayment(tx, cipher, quote, customerId, collection, now)
}

/** The dispute that a report is about: a new one, or that which is still to be decided or was decided last. */
function disputeOf(reports: readonly ListedReport[], status: ReportableStatus, reportId: string): string {
  if (status === 'disputed') return reportId
  const subjectId = latestDispute(reports)?.subjectId
  if (subjectId == null) throw new DomainError('payment_status_not_allowed', 'The payment has no dispute.')
  return subjectId
}

/** The last report about the dispute that is still to be decided or was decided last. */
function latestDispute(reports: readonly ListedReport[]): ListedReport | undefined {
  const about = reports
    .filter(({ outcome, correctedBy }) => outcome.startsWith('dispute') && correctedBy === null)
    .toSorted(inOrderOfDispute)
  const latest = [...new Map(about.map((report) => [report.subjectId, report])).values()].toSorted(inOrderOfDispute)
  return latest.findLast(({ outcome }) => outcome === 'disputed') ?? latest.at(-1)
}

/** Whether the ledger says already what is reported. */
function isReported(
  payment: OperatorPayment,
  reports: readonly ListedReport[],
  { status, paymentId, amount }: PaymentStatusReport,
): boolean {
  if (payment.kind === 'refund' && status === 'paid') return isTransferReported(payment, reports, { paymentId, amount })
  const isSamePayment = paymentId === undefined || paymentId === payment.paymentId
  if (!isSamePayment) return false
  if (status === 'refunded') return payment.status === 'refunded' || (amount ?? Infinity) <= payment.refundedAmount
  if (status === 'dispute_won' || status === 'dispute_lost') return latestDispute(reports)?.outcome === status
  return payment.status === status && (status !== 'failed' || paymentId !== undefined)
}

/** Whether this transfer back was reported. Throws `validation_failed` if it was, with another amount. */
function isTransferReported(
  payment: OperatorPayment,
  reports: readonly ListedReport[],
  { paymentId = payment.paymentId ?? undefined, amount }: Pick<PaymentStatusReport, 'paymentId' | 'amount'>,
): boolean {
  const transfers = reports.filter(({ outcome, correctedBy }) => outcome === 'paid' && correctedBy === null)
  if (paymentId === undefined) return payment.status === 'paid' && transfers.length > 0
  const earlier = transfers.find((each) => each.paymentId === paymentId)
  if (earlier === undefined) return false
  if (amount === undefined || amount === earlier.amount) return true
  const detail = `${earlier.amount} pence were reported under this id. Give each transfer an id of its own.`
  throw invalid('/paymentId', 'not_allowed', detail)
}

/** What can follow of a refund: it is paid in as many parts as it takes. */
const refundMayBecome: Partial<Record<LedgerStatus, readonly ReportableStatus[]>> = {
  planned: ['submitted', 'paid', 'failed'],
  submitted: ['paid', 'failed'],
  failed: ['submitted', 'paid', 'failed'],
  paid: ['paid'],
}

function requireStatus(payment: OperatorPayment, reports: readonly ListedReport[], to: ReportableStatus): void {
  const { status: from } = payment
  const next = nextOf(payment, reports)
  if (next.includes(to)) return
  const shown = from === 'planned' ? 'scheduled' : from
  throw new DomainError(
    'payment_status_not_allowed',
    next.length === 0
      ? `The payment is ${shown}, after which nothing can be reported. If a report of yours was wrong, correct it.`
      : `The payment is ${shown}. After that, it can be ${next.join(' or ')}.`,
  )
}

function nextOf(
  { status, kind, againFor, paymentId }: OperatorPayment,
  reports: readonly ListedReport[],
): readonly ReportableStatus[] {
  if (kind === 'refund') return refundMayBecome[status] ?? []
  if (status === 'planned' && (againFor !== null || kind === 'fee' || kind === 'exit_fee'))
    return [...paymentMayBecome.planned, 'waived']
  // The processor may have taken what was submitted and cancelled since: it is then paid back.
  if (status === 'cancelled' && paymentId !== null) return ['paid']
  // A decision about a dispute can be appealed against.
  const decided = latestDispute(reports)?.outcome
  const appealed: readonly ReportableStatus[] =
    status === 'paid' && decided === 'dispute_won'
      ? ['dispute_lost']
      : status === 'reopened' && decided === 'dispute_lost'
        ? ['dispute_won']
        : []
  return [...paymentMayBecome[status], ...appealed]
}

function requireAmount({ collectedAmount, kind, amount: owed }: OperatorPayment, report: PaymentStatusReport): void {
  const most = report.status === 'refunded' ? (collectedAmount ?? 0) : kind === 'refund' ? owed : undefined
  if (report.amount === undefined || most === undefined || report.amount <= most) return
  throw invalid('/amount', 'out_of_range', `Must be at most ${most}, which is what can be paid back.`)
}

/** A payment is paid by its whole amount. What was received besides is matched or paid back as such. */
function requireWholePayment({ kind, amount }: OperatorPayment, report: PaymentStatusReport): void {
  if (kind === 'refund' || report.status !== 'paid' || report.amount === undefined || report.amount === amount) return
  throw invalid(
    '/amount',
    'out_of_range',
    `Must be ${amount}, which is what is owed. Report only a payment of that amount.`,
  )
}

/** What the processor may be paying back is not paid by a transfer too. */
async function requireAnsweredOrders(
  tx: Tx,
  { partnerId, entryId, kind }: OperatorPayment,
  { status }: PaymentStatusReport,
): Promise<void> {
  if (kind !== 'refund' || status === 'failed') return
  const asked = (await listOpenOrders(tx, partnerId, entryId)).reduce((sum, { amount }) => sum + amount, 0)
  if (asked === 0) return
  throw new DomainError(
    'payment_status_not_allowed',
    `The payment processor was asked to pay back ${asked} pence of this refund and has not answered. Call POST /Payments/${entryId}/refund until it has, then report what you transferred besides.`,
  )
}

function requirePaymentId({ paymentId }: OperatorPayment, report: PaymentStatusReport): string {
  const id = report.paymentId ?? paymentId
  if (id === null) throw invalid('/paymentId', 'required', "Send the processor's id of the payment, or your own.")
  return id
}

function invalid(pointer: string, code: 'not_allowed' | 'out_of_range' | 'required', detail: string): DomainError {
  return invalidFields([{ pointer, code, detail }])
}

/** The longest id that the operator API shows and accepts. */
const longestId = 255

/**
 * The id of what the operator reported: the same report always has the same one. A long id of a payment is in it as a
 * hash.
 */
function reportIdOf(entryId: string, report: string): string {
  const whole = `operator:${entryId}:${report}`
  if (whole.length <= longestId) return whole
  return `operator:${entryId}:${createHash('sha256').update(report).digest('base64url')}`
}
