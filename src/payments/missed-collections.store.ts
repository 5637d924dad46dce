import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { PaymentNotice } from './payment-processor.ts'

/**
 * Selects the notices that are not recorded yet, in the given order. A collection is selected only if it is from one of
 * our customers. A refund or a dispute is selected whoever paid, because its payment may be recorded just before it.
 * What several notices report is selected once.
 */
export async function listMissedCollections(
  db: Queryable,
  notices: readonly PaymentNotice[],
): Promise<PaymentNotice[]> {
  if (notices.length === 0) return []
  const payers = notices.map((notice) => (notice.kind === 'collection' ? notice.processorCustomerId : null))
  const rows = await db.query<{ ordinal: number }>(sql`
    select min(listed.ordinal)::int as ordinal
      from unnest(${payers}::text[], ${notices.map(({ reportId }) => reportId)}::text[])
           with ordinality as listed (processor_customer_id, report_id, ordinal)
     where (listed.processor_customer_id is null or exists (
              select from setup_intents s where s.processor_customer_id = listed.processor_customer_id))
       and not exists (select from payment_reports r where r.report_id = listed.report_id)
     group by listed.report_id`)
  const missed = new Set(rows.map(({ ordinal }) => ordinal - 1))
  return notices.filter((_, index) => missed.has(index))
}
