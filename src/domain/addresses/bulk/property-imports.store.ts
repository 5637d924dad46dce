import type { Queryable } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { ImportResult } from '../import/import-file.ts'

/** How far an import has come that was interrupted or is running. */
export interface UnfinishedImport {
  /** How much of the file was imported, and the hash of those bytes. */
  bytesRead: number
  sha256: string
  /** The header of the file; null before it was read. */
  header: string[] | null
  linesRead: number
  result: ImportResult
  /** Whether the rows of `properties` that the file does not have were copied, so that only the swap is missing. */
  isCarried: boolean
}

/** PostgreSQL compares transactions by 32 bits: after more of them than this, "newer" could come to mean "older". */
const mostTransactions = 1_000_000_000

/** The unfinished import; null if there is none, or if the tables have changed too much since it began. */
export async function findUnfinishedImport(db: Queryable): Promise<UnfinishedImport | null> {
  const rows = await db.query<UnfinishedImport>(sql`
    select bytes_read::float8 as "bytesRead", sha256, header, lines_read::float8 as "linesRead", result,
           carried_by is not null as "isCarried"
      from property_imports
     where newest_migration = (select max(name) from schema_migrations)
       and pg_snapshot_xmin(pg_current_snapshot())::text::bigint - since::text::bigint < ${mostTransactions}
       and to_regclass('next_properties') is not null`)
  return rows[0] ?? null
}

export async function insertUnfinishedImport(db: Queryable, started: UnfinishedImport): Promise<void> {
  await db.query(sql`
    insert into property_imports (newest_migration, bytes_read, sha256, header, lines_read, result)
    select max(name), ${started.bytesRead}, ${started.sha256}, ${JSON.stringify(started.header)}, ${started.linesRead},
           ${JSON.stringify(started.result)}
      from schema_migrations`)
}

export async function updateUnfinishedImport(db: Queryable, now: UnfinishedImport): Promise<void> {
  await db.query(sql`
    update property_imports
       set bytes_read = ${now.bytesRead}, sha256 = ${now.sha256}, header = ${JSON.stringify(now.header)},
           lines_read = ${now.linesRead}, result = ${JSON.stringify(now.result)}`)
}

/** Notes that this transaction has copied the rows of `properties` that the file does not have. */
export async function markCarried(db: Queryable): Promise<void> {
  await db.query(sql`update property_imports set carried_by = pg_current_xact_id()`)
}

export async function deleteUnfinishedImport(db: Queryable): Promise<void> {
  await db.query(sql`delete from property_imports`)
}
