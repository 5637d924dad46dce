import type { Caller } from '../../partners/caller.ts'
import { reportPaymentChange } from '../../payments/change-payment-status.ts'
import {
  type ListedReport,
  listReportsOfEntry,
  type OperatorPayment,
} from '../../payments/ledger/operator-payments.store.ts'
import { insertPaymentReport } from '../../payments/ledger/payment-reports.store.ts'
import { recount } from '../../payments/ledger/recount.ts'
import { loadPayment, lockQuoteOfPayment } from '../../payments/load-payment.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** How the ids of what the operator reported begin. */
const operatorReportPrefix = 'operator:'

/**
 * POST /operator-api/Payments/{entryId}/corrections: says that a report of the operator was wrong, and why. It stays in
 * the list and counts no longer. What is owed again waits until it is put back on the plan. Repeating it is harmless.
 * Throws `validation_failed` for a report that is none of this payment or that only the processor can take back, and
 * `not_found`.
 */
export function correctReport(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { entryId, reportId, reason }: { entryId: Id<'entry'>; reportId: string; reason: string },
): Promise<OperatorPayment> {
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quote, customerId } = await lockQuoteOfPayment(tx, cipher, partnerId, entryId)
    const wrong = requireCorrectable(await listReportsOfEntry(tx, partnerId, entryId), reportId)
    if (wrong.correctedBy === null) {
      const about = { partnerId, customerId, entryId, paymentId: wrong.paymentId, subjectId: null, amount: null }
      const withdrawal = { ...about, reportId: `${reportId}:withdrawn`, outcome: 'withdrawn', occurredAt: now } as const
      await insertPaymentReport(tx, withdrawal, { corrects: reportId, reason })
      await recount(tx, partnerId, entryId, { now })
      await reportPaymentChange(tx, quote, customerId, now)
    }
    return loadPayment(tx, cipher, partnerId, entryId)
  })
}

function requireCorrectable(reports: readonly ListedReport[], reportId: string): ListedReport {
  const found = reports.find((report) => report.reportId === reportId)
  const detail =
    found === undefined
      ? 'Must be the id of a report about this payment.'
      : !reportId.startsWith(operatorReportPrefix)
        ? 'The payment processor reported this, so only the processor can take it back.'
        : found.outcome === 'failed' || found.outcome === 'withdrawn'
          ? 'This report moved no money, so there is nothing to correct.'
          : undefined
  if (found !== undefined && detail === undefined) return found
  throw invalidFields([{ pointer: '/reportId', code: 'not_allowed', detail: detail ?? '' }])
}
