import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * What the ledger says of a customer's payments: `failed` while one is failed or disputed, else the outcome of the
 * latest collection of a payment that was not given up, else `ready`. A card that was attached after that collection
 * makes it `ready` too.
 */
export async function findLedgerStatus(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<'paid' | 'failed' | 'ready'> {
  const [row] = await db.query<{ hasFailed: boolean; latest: 'paid' | 'failed' | null }>(sql`
    select exists (select from payment_entries
                    where partner_id = ${partnerId} and customer_id = ${customerId} and status in ('failed', 'disputed')
                      and kind <> 'refund')
             as "hasFailed",
           (select r.outcome from payment_reports r
              left join payment_entries e on e.partner_id = r.partner_id and e.entry_id = r.entry_id
              join customers c on c.partner_id = r.partner_id and c.customer_id = r.customer_id
             where r.partner_id = ${partnerId} and r.customer_id = ${customerId} and r.outcome in ('paid', 'failed')
               and not exists (select from payment_reports w where w.partner_id = r.partner_id
                               and w.corrects = r.report_id)
               and e.status is distinct from 'waived' and e.kind is distinct from 'refund'
               and coalesce(r.occurred_at >= c.last_collection_at, true)
             order by r.occurred_at desc, r.recorded_at desc limit 1) as latest`)
  if (row?.hasFailed === true) return 'failed'
  return row?.latest ?? 'ready'
}
