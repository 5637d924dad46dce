import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Person } from './people.store.ts'

/** Ends a person's sessions. */
export async function deletePersonSessions(
  tx: Queryable,
  { personId, partnerId }: Pick<Person, 'personId' | 'partnerId'>,
): Promise<void> {
  await tx.query(sql`delete from person_sessions where person_id = ${personId} and partner_id = ${partnerId}`)
}
