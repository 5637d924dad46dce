import type { Caller } from '../../partners/caller.ts'
import {
  type ListedReport,
  listReportsOfEntry,
  listUnmatchedPayments,
  type OperatorPayment,
  type UnmatchedPayment,
} from '../../payments/ledger/operator-payments.store.ts'
import { loadPayment } from '../../payments/load-payment.ts'
import { recordOperatorRead } from '../../platform/audit/audit-log.store.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { listOperatorPayments, type PaymentFilter } from './listed-payments.store.ts'

/**
 * GET /operator-api/Payments: a page of the ledger of all partners, by due date. Writes one audit entry for each
 * partner on the page.
 */
export function listPayments(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { limit, ...filter }: PaymentFilter,
): Promise<{ payments: OperatorPayment[]; hasMore: boolean }> {
  return inQueueTransaction(db, async (tx) => {
    const found = await listOperatorPayments(tx, cipher, { ...filter, limit: limit + 1 })
    const payments = found.slice(0, limit)
    await recordOperatorRead(tx, 'payment', payments, ({ customerId }) => customerId)
    return { payments, hasMore: found.length > limit }
  })
}

/**
 * GET /operator-api/Payments/unmatched: money that moved at the processor and belongs to no entry, the oldest first.
 */
export async function listUnmatched(
  { db }: { db: Database },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ payments: UnmatchedPayment[]; hasMore: boolean }> {
  const found = await listUnmatchedPayments(db, { after, limit: limit + 1 })
  return { payments: found.slice(0, limit), hasMore: found.length > limit }
}

/**
 * GET /operator-api/Payments/{entryId}: a payment with every report about it. The reading is recorded in the audit log.
 * Throws `not_found`.
 */
export async function readPayment(
  { db, cipher, readLog }: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  { partnerId }: Caller,
  entryId: string,
): Promise<{ payment: OperatorPayment; reports: ListedReport[] }> {
  const payment = await loadPayment(db, cipher, partnerId, entryId)
  const reports = await listReportsOfEntry(db, partnerId, entryId)
  await readLog.record(db, { subjectType: 'customer', customerId: payment.customerId })
  return { payment, reports }
}
