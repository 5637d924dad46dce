import type { Caller } from '../../partners/caller.ts'
import {
  type ListedReport,
  listReportsOfEntry,
  type OperatorPayment,
} from '../../payments/ledger/operator-payments.store.ts'
import { loadPayment } from '../../payments/load-payment.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'

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
