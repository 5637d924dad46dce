import type { Database } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** A customer's state at the processor. */
interface ProcessorCustomer {
  /** Null until the processor's response has been stored. */
  processorCustomerId: string | null
  /** True if an earlier call may have created something under an idempotency key that the processor has forgotten. */
  keysMayBeForgotten: boolean
}

/**
 * Records the time of the first call to the processor. The processor remembers idempotency keys for 24 hours. We rely
 * on this for only 23 hours, to allow for clock differences and slow calls. Uses real time, not the sandbox clock.
 * Returns undefined if the customer has been erased or removed: nobody would delete what the call creates.
 */
export async function recordFirstProcessorCall(
  db: Database,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ProcessorCustomer | undefined> {
  const [row] = await db.query<ProcessorCustomer>(sql`
    update customers set processor_asked_at = coalesce(processor_asked_at, clock_timestamp())
     where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is null and removed_at is null
    returning processor_customer_id as "processorCustomerId",
              processor_asked_at < clock_timestamp() - interval '23 hours' as "keysMayBeForgotten"`)
  return row
}

/** The processor's id for a customer, in place of `replaces`. */
export interface NewProcessorCustomer {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  processorCustomerId: string
  replaces: string | null
}

/**
 * The statement that stores the processor's customer id, unless another one than `replaces` is stored or the customer
 * was erased or removed. Returns the customer's key if the id is the stored one.
 */
export function storingProcessorCustomer(customer: NewProcessorCustomer): Sql {
  const { partnerId, customerId, processorCustomerId, replaces } = customer
  return sql`
    update customers set processor_customer_id = ${processorCustomerId}
     where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is null and removed_at is null
       and (processor_customer_id is not distinct from ${replaces} or processor_customer_id = ${processorCustomerId})
    returning partner_id, customer_id`
}
