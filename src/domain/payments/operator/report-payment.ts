import { createHash } from 'node:crypto'
import { type Database, inTransaction, type Tx } from '../../../db/database.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import { pence } from '../../../kernel/money.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Quote } from '../../quotes/quote.ts'
import { lockQuote } from '../../quotes/quotes.store.ts'
import { reportPaymentChange } from '../change-payment-status.ts'
import { type LedgerStatus, paymentMayBecome } from '../ledger/ledger-status.ts'
import { recordPayment } from '../ledger/record-payment.ts'
import type { PaymentErrorCode } from '../payment-error.ts'
import { loadPayment } from './load-payment.ts'
import {
  countAsPaidBack,
  findOwnerOfEntry,
  type OperatorPayment,
  updateEntryStatus,
} from './operator-payments.store.ts'

/** The statuses that the operator can report. */
export const reportableStatuses = ['submitted', 'paid', 'failed', 'refunded', 'disputed', 'waived'] as const
export type ReportableStatus = (typeof reportableStatuses)[number]

/** What the operator says of a payment. */
export interface PaymentStatusReport {
  status: ReportableStatus
  /** In pence. For a refund, the total that was paid back so far. The whole amount if it is missing. */
  amount: number | undefined
  /** The processor's id of the payment, or the operator's own. That of the last attempt if it is missing. */
  paymentId: string | undefined
  /** Now if it is missing. */
  occurredAt: Date | undefined
  /** Why an attempt failed. */
  error: PaymentErrorCode | undefined
}

/**
 * POST /operator-api/Payments/{entryId}/status: records what the operator knows of a payment, as a notice of the processor would. Repeating it is
 * harmless. Throws `payment_status_not_allowed` for a status that cannot follow, `validation_failed` and `not_found`.
 */
export function reportPayment(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { entryId, ...report }: PaymentStatusReport & { entryId: Id<'entry'> },
): Promise<OperatorPayment> {
  const { partnerId } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quoteId } = await loadPayment(tx, partnerId, entryId)
    const quote = await lockQuote(tx, cipher, partnerId, quoteId)
    if (quote === undefined) throw new Error('a payment has no quote')
    const payment = await loadPayment(tx, partnerId, entryId)
    if (isReported(payment, report)) return payment
    requireStatus(payment, report.status)
    requireAmount(payment, report)
    await record(tx, cipher, { quote, payment, report, now: caller.now })
    return loadPayment(tx, partnerId, entryId)
  })
}

/** The partner to which a payment belongs; undefined for an unknown id. */
export function findPaymentEntryOwner({ db }: { db: Database }, entryId: string): ReturnType<typeof findOwnerOfEntry> {
  return findOwnerOfEntry(db, entryId)
}

async function record(
  tx: Tx,
  cipher: FieldCipher,
  about: { quote: Quote; payment: OperatorPayment; report: PaymentStatusReport; now: Date },
): Promise<void> {
  const { quote, payment, report, now } = about
  const { entryId, partnerId, customerId, kind } = payment
  const { status, occurredAt = now } = report
  if (status === 'submitted' || status === 'waived' || kind === 'refund') {
    const paymentId = status === 'waived' ? null : requirePaymentId(payment, report)
    const amount = report.amount ?? payment.amount
    const collected = status === 'paid' ? { at: occurredAt, amount } : null
    await updateEntryStatus(tx, partnerId, entryId, { status, paymentId, collected })
    if (status === 'paid') await countAsPaidBack(tx, payment, amount)
    await reportPaymentChange(tx, quote, customerId, now)
    return
  }
  const paymentId = requirePaymentId(payment, report)
  const amount = pence(report.amount ?? (status === 'refunded' ? (payment.collectedAmount ?? 0) : payment.amount))
  const reportId = reportIdOf(entryId, [paymentId, status, occurredAt.toISOString(), amount].join(':'))
  const notice = { noticeId: reportId, reportId, occurredAt, paymentId, amount }
  if (status === 'refunded' || status === 'disputed') {
    await recordPayment(tx, cipher, quote, customerId, { ...notice, kind: 'reversal', outcome: status }, now)
    return
  }
  const error = status === 'failed' ? (report.error ?? 'processing_error') : null
  const processorCustomerId = payment.processorCustomerId ?? ''
  const collection = { ...notice, kind: 'collection', outcome: status, error, entryId, processorCustomerId } as const
  await recordPayment(tx, cipher, quote, customerId, collection, now)
}

/** Whether the ledger says already what is reported. */
function isReported(payment: OperatorPayment, { status, paymentId, amount }: PaymentStatusReport): boolean {
  const isSamePayment = paymentId === undefined || paymentId === payment.paymentId
  if (!isSamePayment) return false
  if (status === 'refunded') return payment.status === 'refunded' || (amount ?? Infinity) <= payment.refundedAmount
  return payment.status === status && (status !== 'failed' || paymentId !== undefined)
}

function requireStatus({ status: from }: OperatorPayment, to: LedgerStatus): void {
  const next = paymentMayBecome[from]
  if (next.includes(to)) return
  const shown = from === 'planned' ? 'scheduled' : from
  throw new DomainError(
    'payment_status_not_allowed',
    next.length === 0
      ? `The payment is ${shown}, which is final.`
      : `The payment is ${shown}. After that, it can be ${next.join(' or ')}.`,
  )
}

function requireAmount({ collectedAmount, kind, amount: owed }: OperatorPayment, report: PaymentStatusReport): void {
  const most = report.status === 'refunded' ? (collectedAmount ?? 0) : kind === 'refund' ? owed : undefined
  if (report.amount === undefined || most === undefined || report.amount <= most) return
  throw invalid('/amount', 'out_of_range', `Must be at most ${most}, which is what can be paid back.`)
}

function requirePaymentId({ paymentId }: OperatorPayment, report: PaymentStatusReport): string {
  const id = report.paymentId ?? paymentId
  if (id === null) throw invalid('/paymentId', 'required', "Send the processor's id of the payment, or your own.")
  return id
}

function invalid(pointer: string, code: 'out_of_range' | 'required', detail: string): DomainError {
  return new DomainError('validation_failed', `${pointer}: ${detail}`, { fields: [{ pointer, code, detail }] })
}

/** The longest id that the operator API shows and accepts. */
const longestId = 255

/** The id of what the operator reported: the same report always has the same one. A long id of a payment is in it as a hash. */
function reportIdOf(entryId: string, report: string): string {
  const whole = `operator:${entryId}:${report}`
  if (whole.length <= longestId) return whole
  return `operator:${entryId}:${createHash('sha256').update(report).digest('base64url')}`
}
