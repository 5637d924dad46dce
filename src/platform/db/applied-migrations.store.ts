import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/**
 * The name of an applied migration that is not one of these and with which an earlier version of the program does not
 * work; undefined if there is none.
 */
export async function selectMigrationBeyond(system: Queryable, known: readonly string[]): Promise<string | undefined> {
  const [row] = await system.query<{ name: string }>(
    sql`select name from schema_migrations where name <> all(${known}::text[]) and not expands order by name limit 1`,
  )
  return row?.name
}
