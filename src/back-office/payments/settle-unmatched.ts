import type { Caller } from '../../partners/caller.ts'
import { reportPaymentChange } from '../../payments/change-payment-status.ts'
import type { LedgerStatus } from '../../payments/ledger/ledger-status.ts'
import {
  findOwnerOfReport,
  findUnmatchedPayment,
  matchReports,
  settleReport,
  type UnmatchedPayment,
} from '../../payments/ledger/operator-payments.store.ts'
import { markEntryAttempted } from '../../payments/ledger/payment-entries.store.ts'
import { recount } from '../../payments/ledger/recount.ts'
import { loadPayment } from '../../payments/load-payment.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import { findQuoteOfCustomerForUpdate } from '../../quoting/quotes/quotes.store.ts'

/** How an unmatched payment was settled: by an entry, or otherwise, in the operator's words. */
export type Settlement = { entryId: Id<'entry'> } | { reason: string }

/**
 * POST /operator-api/Payments/unmatched/{reportId}/settle: says which entry a payment was for, which is then paid, or
 * how else it was dealt with. Its refunds and disputes are settled with it. Throws `payment_status_not_allowed` if the
 * entry is not owed, `validation_failed` for another customer's, and `not_found`.
 */
export function settleUnmatched(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { reportId, ...by }: Settlement & { reportId: string },
): Promise<{ reportId: string; entryId: string | null; reason: string | null }> {
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const { customerId } = await loadUnmatched(tx, partnerId, reportId)
    const quote = await findQuoteOfCustomerForUpdate(tx, cipher, partnerId, customerId)
    if (quote === undefined) throw new Error('a payment has no quote')
    // Somebody else may have settled it while this call waited for the lock.
    const report = await loadUnmatched(tx, partnerId, reportId)
    if ('reason' in by) {
      await settleReport(tx, report, by.reason)
      return { reportId, entryId: null, reason: by.reason }
    }
    const { entryId } = by
    if ((await loadPayment(tx, cipher, partnerId, entryId)).customerId !== customerId) throw otherCustomer()
    await match(tx, cipher, report, { entryId, now })
    await reportPaymentChange(tx, quote, customerId, now)
    return { reportId, entryId, reason: null }
  })
}

/** The partner to whose customer an unmatched payment belongs; undefined if there is none with this id. */
export function findReportOwner({ db }: { db: Database }, reportId: string): ReturnType<typeof findOwnerOfReport> {
  return findOwnerOfReport(db, reportId)
}

async function loadUnmatched(tx: Tx, partnerId: Id<'partner'>, reportId: string): Promise<UnmatchedPayment> {
  const report = await findUnmatchedPayment(tx, partnerId, reportId)
  if (report !== undefined) return report
  throw new DomainError('not_found', 'There is no unmatched payment with this id. It may have been settled.')
}

async function match(
  tx: Tx,
  cipher: FieldCipher,
  report: UnmatchedPayment,
  { entryId, now }: { entryId: Id<'entry'>; now: Date },
): Promise<void> {
  const { partnerId } = report
  if (report.entryId !== null)
    throw notAllowed('It is more than could be paid back of a payment, so it is for no other. Settle it with a reason.')
  if (report.outcome === 'paid') {
    const { status } = await loadPayment(tx, cipher, partnerId, entryId)
    if (!owedStatuses.includes(status))
      throw notAllowed(
        `The payment is ${status}, so nothing is owed for it. Choose another one, or settle this one with a reason.`,
      )
    if (report.amount === null) throw otherCurrency()
    await markEntryAttempted(tx, cipher, partnerId, entryId, {
      ...report,
      outcome: 'paid',
      error: null,
      amount: amountOf(report),
    })
  }
  await matchReports(tx, report, entryId)
  await recount(tx, partnerId, entryId, { now })
}

const owedStatuses: readonly LedgerStatus[] = ['planned', 'submitted', 'failed', 'reopened']

function notAllowed(detail: string): DomainError {
  return new DomainError('payment_status_not_allowed', detail)
}

/** Money in another currency settles nothing that is owed in pounds. */
function otherCurrency(): DomainError {
  const detail = 'The money received was not in pounds. Pay it back, and settle it with a reason.'
  return new DomainError('validation_failed', `/entryId: ${detail}`, {
    fields: [{ pointer: '/entryId', code: 'not_allowed', detail }],
  })
}

function amountOf({ amount }: UnmatchedPayment): Pence | null {
  return amount === null ? null : pence(amount)
}

function otherCustomer(): DomainError {
  const detail = 'Must be a payment of the same customer.'
  return invalidFields([{ pointer: '/entryId', code: 'not_allowed', detail }])
}
