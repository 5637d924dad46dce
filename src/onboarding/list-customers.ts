import type { Caller } from '../partners/caller.ts'
import type { ReadLog } from '../platform/audit/read-log.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import {
  type CustomerFilter,
  type CustomerSummary,
  listCustomers as selectCustomers,
} from '../quoting/tenants/customer-list.store.ts'

/**
 * GET /Customers (not in the specification). Lists a page of the partner's customers, the latest first. Also returns
 * the cursor of the next page, or null if there is none. The audit log says that each customer on the page
 * was read.
 */
export async function listCustomers(
  { db, cipher, readLog }: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  filter: Omit<CustomerFilter, 'now'>,
): Promise<{ customers: CustomerSummary[]; nextBeforeCustomerId: Id<'tenant'> | null }> {
  const { now, partnerId } = caller
  const found = await selectCustomers(db, cipher, partnerId, { ...filter, now, limit: filter.limit + 1 })
  const customers = found.slice(0, filter.limit)
  await Promise.all(customers.map(({ customerId }) => readLog.record(db, { subjectType: 'customer', customerId })))
  const hasMore = found.length > customers.length
  return { customers, nextBeforeCustomerId: hasMore ? (customers.at(-1)?.customerId ?? null) : null }
}
