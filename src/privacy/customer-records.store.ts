import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** The columns of a customer's row that only an export reads. */
export interface CustomerRecord {
  personalInformationAt: Date | null
  processorCustomerId: string | null
  createdAt: Date
  updatedAt: Date
  retainedUntil: IsoDate | null
}

/** An event about the customer. */
export interface CustomerEvent {
  eventId: Id<'event'>
  type: string
  occurredAt: Date
  data: Record<string, unknown>
}

export async function findCustomerRecord(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<CustomerRecord | undefined> {
  const [row] = await db.query<CustomerRecord>(sql`
    select personal_information_at as "personalInformationAt", processor_customer_id as "processorCustomerId",
           created_at as "createdAt", updated_at as "updatedAt", retained_until::text as "retainedUntil"
      from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  return row
}
