import type { Database } from '../../../db/database.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { ReadLog } from '../../audit/read-log.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadPayment } from './load-payment.ts'
import { type ListedReport, listReportsOfEntry, type OperatorPayment } from './operator-payments.store.ts'

/** GET /operator-api/Payments/{entryId}: a payment with every report about it. The reading is recorded in the audit log. Throws `not_found`. */
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
