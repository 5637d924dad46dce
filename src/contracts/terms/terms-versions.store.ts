import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { type AgreedTerms, readTerms, type TermsVersion } from './agreed-terms.ts'

/** Stores a version of the terms unless it is already stored. Returns whether it was stored. */
export async function insertTermsVersion(db: Queryable, { version, text, sha256 }: TermsVersion): Promise<boolean> {
  const rows = await db.query(sql`
    insert into terms_versions (version, text, sha256) values (${version}, ${text}, ${sha256})
    on conflict (version) do nothing returning 1`)
  return rows.length === 1
}

/** A stored version of the terms; undefined if there is none. Stored versions never change and are never deleted. */
export async function findTermsVersion(
  db: Queryable,
  version: string,
): Promise<(AgreedTerms & { storedAt: Date }) | undefined> {
  const [row] = await db.query<TermsVersion & { storedAt: Date }>(sql`
    select version, text, sha256, stored_at as "storedAt" from terms_versions where version = ${version}`)
  return row === undefined ? undefined : { ...readTerms(row), storedAt: row.storedAt }
}
