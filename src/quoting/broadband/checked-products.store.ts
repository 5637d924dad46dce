import { type Sql, sql } from '../../platform/db/sql.ts'
import { availabilityLifetimeMs } from '../../platform/kernel/limits.ts'

/**
 * The products that a check of the last day found for the property of the quote `q`, as a part of the statement that
 * reads the quote; null if there was no such check.
 */
export function checkedProductsOf(now: Date): Sql {
  const dayBefore = new Date(now.getTime() - availabilityLifetimeMs)
  return sql`(select b.products from broadband_checks b
               where b.partner_id = q.partner_id and b.address_uid = q.address_uid and b.checked_at > ${dayBefore})`
}
