import { takingRefusalsAlong } from '../../contracts/mails/tenant-mails.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'

/** The tables with keyed hashes of a value that each row has encrypted beside them. */
const hashed = {
  customers: {
    table: sql`customers`,
    id: sql`customer_id`,
    encrypted: sql`personal_encrypted`,
    hashes: sql`email_hash = change.hashes->>0, phone_hash = change.hashes->>1`,
    // Erased customers have no hashes.
    isStale: (keyId: string): Sql => sql`erased_at is null
       and (split_part(email_hash, '.', 1) <> ${keyId} or phone_hash is null or phone_hash <> ''
            and split_part(phone_hash, '.', 1) <> ${keyId})`,
  },
  people: {
    table: sql`people`,
    id: sql`person_id`,
    encrypted: sql`details_encrypted`,
    hashes: sql`email_hash = change.hashes->>0, subject_hash = nullif(change.hashes->>1, '')`,
    // Removed people have no hashes.
    isStale: (keyId: string): Sql => sql`state <> 'removed'
       and (split_part(email_hash, '.', 1) <> ${keyId} or split_part(subject_hash, '.', 1) <> ${keyId})`,
  },
  quotes: {
    table: sql`quotes`,
    id: sql`quote_id`,
    encrypted: sql`reference_encrypted`,
    hashes: sql`reference_hash = change.hashes->>0`,
    isStale: (keyId: string): Sql => sql`split_part(reference_hash, '.', 1) <> ${keyId}`,
  },
}
export type HashedTable = keyof typeof hashed

/** How many of the partner's rows `listStaleRows` would list. */
export async function countStaleRows(
  db: Queryable,
  name: HashedTable,
  partnerId: string,
  keyId: string,
): Promise<number> {
  const { table, isStale } = hashed[name]
  const [row] = await db.query<{ rows: number }>(
    sql`select count(*)::integer as rows from ${table} where partner_id = ${partnerId} and ${isStale(keyId)}`,
  )
  return row?.rows ?? 0
}

/** The partner's next rows, in id order, whose hashes were not all made with the key that has this id. */
export function listStaleRows(
  db: Queryable,
  name: HashedTable,
  partnerId: string,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<{ id: string; encrypted: string }[]> {
  const { table, id, encrypted, isStale } = hashed[name]
  return db.query(sql`
    select ${id} as id, ${encrypted} as encrypted from ${table}
     where partner_id = ${partnerId} and ${id} > ${after} and ${isStale(keyId)}
     order by ${id} limit ${limit}`)
}

/**
 * Replaces hashes, except of rows whose value has changed since it was read (`before`). Returns how many rows it
 * changed.
 */
export async function replaceHashes(
  db: Queryable,
  name: HashedTable,
  partnerId: string,
  changes: readonly { id: string; before: string; hashes: readonly string[] }[],
): Promise<number> {
  const { table, id, encrypted, hashes } = hashed[name]
  const rows = await db.query(sql`
    with change as materialized (
      select * from unnest(${changes.map((change) => change.id)}::text[], ${changes.map(({ before }) => before)}::text[],
                           ${changes.map((change) => JSON.stringify(change.hashes))}::jsonb[])
                    as given (row_id, before, hashes))
    ${name === 'customers' ? takingRefusalsAlong(partnerId) : empty}
    update ${table} set ${hashes} from change
     where partner_id = ${partnerId} and ${id} = change.row_id and ${encrypted} = change.before
    returning 1`)
  return rows.length
}

/** How many refusals of e-mails the partner has by addresses of no customer, hashed with another key than this one. */
export async function countOlderRefusals(db: Queryable, partnerId: string, keyId: string): Promise<number> {
  const [row] = await db.query<{ refusals: number }>(sql`
    select count(*)::integer as refusals from tenant_mail_refusals
     where partner_id = ${partnerId} and split_part(email_hash, '.', 1) <> ${keyId}`)
  return row?.refusals ?? 0
}
