import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { CustomerEvent } from '../../privacy/customer-records.store.ts'

/** The customer's latest events, without the quote's reference, at most `limit` of them, oldest first. */
export async function listCustomerEvents(
  db: Queryable,
  partnerId: Id<'partner'>,
  { customerId, quoteId, limit }: { customerId: Id<'tenant'>; quoteId: Id<'quote'>; limit: number },
): Promise<CustomerEvent[]> {
  const latestFirst = await db.query<CustomerEvent>(sql`
    select event_id as "eventId", type, occurred_at as "occurredAt", data from events
     where partner_id = ${partnerId} and quote_id = ${quoteId} and data ->> 'customerId' = ${customerId}
     order by event_number desc limit ${limit}`)
  return latestFirst.reverse()
}
