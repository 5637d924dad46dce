import { type Sql, sql } from '../../../platform/db/sql.ts'

/** The SQL of the encrypted reference of the quote that an event or delivery is about; null if it is about no quote. */
export function referenceOf(row: Sql): Sql {
  return sql`(select q.reference_encrypted from quotes q where q.partner_id = ${row}.partner_id and q.quote_id = ${row}.quote_id)`
}
