import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { referenceHashes } from '../../quoting/quotes/reference.ts'
import {
  type DueImport,
  type Import,
  type ImportKey,
  type ImportRow,
  importRetentionDays,
  type RowContent,
  type RowOutcome,
} from './import.ts'

const draftAt = (importId: string) => ({ column: 'imports.draft', row: importId })
const contentAt = (importId: string, row: number) => ({ column: 'import_rows.content', row: `${importId}/${row}` })

export async function insertImport(
  tx: Tx,
  {
    partnerId,
    importId,
    kind,
    createdBy,
    createdAt,
  }: Pick<Import, keyof ImportKey | 'kind' | 'createdBy' | 'createdAt'>,
): Promise<void> {
  await tx.query(sql`
    insert into imports (import_id, partner_id, kind, created_by, created_at, changed_at)
    values (${importId}, ${partnerId}, ${kind}, ${createdBy}, ${createdAt}, ${createdAt})`)
}

/** Replaces what changed. `now` is in real time. */
export async function updateImport(
  tx: Tx,
  cipher: FieldCipher,
  {
    partnerId,
    importId,
    draft,
    begunAt,
    pausedAt,
    continuedAt,
  }: Omit<Import, 'kind' | 'createdBy' | 'createdAt' | 'counts'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update imports set draft_encrypted = ${draft === null ? null : cipher.encrypt(draft, draftAt(importId))},
           begun_at = ${begunAt}, paused_at = ${pausedAt}, continued_at = ${continuedAt}, changed_at = ${now}
     where partner_id = ${partnerId} and import_id = ${importId}`)
}

export async function insertImportRows(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, importId }: ImportKey,
  rows: readonly RowContent['sent'][],
): Promise<void> {
  const sealed = rows.map((sent, index) => cipher.encrypt(JSON.stringify({ sent }), contentAt(importId, index + 1)))
  await tx.query(sql`
    insert into import_rows (import_id, row_number, partner_id, content_encrypted)
    select ${importId}, row_number, ${partnerId}, content
      from unnest(${sealed}::text[]) with ordinality as row (content, row_number)`)
}

/** An import `i` with its counts. */
const importColumns = sql`
  i.import_id as "importId", i.partner_id as "partnerId", i.kind, i.created_by as "createdBy",
  i.draft_encrypted as sealed, i.begun_at as "begunAt", i.paused_at as "pausedAt", i.continued_at as "continuedAt",
  i.created_at as "createdAt",
  (select coalesce(jsonb_object_agg(outcome, rows), '{}')
     from (select coalesce(r.outcome, 'pending') as outcome, count(*) as rows from import_rows r
            where r.import_id = i.import_id and r.partner_id = i.partner_id group by 1) c) as counts`

type SealedImport = Omit<Import, 'draft'> & { sealed: string | null }

function opened(cipher: FieldCipher, { sealed, counts, ...row }: SealedImport): Import {
  const none = { pending: 0, done: 0, unchanged: 0, failed: 0, cancelled: 0 }
  const draft = sealed && cipher.decrypt(sealed, draftAt(row.importId)).toString()
  return { ...row, draft, counts: { ...none, ...counts } }
}

/** With `lock`, nobody else changes it until the transaction ends. */
export async function findImport(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, importId }: ImportKey,
  lock: Sql = sql``,
): Promise<Import | undefined> {
  const [row] = await db.query<SealedImport>(sql`
    select ${importColumns} from imports i where i.partner_id = ${partnerId} and i.import_id = ${importId} ${lock}`)
  return row && opened(cipher, row)
}

/** The partner's imports, the latest first, after this one. */
export async function listImports(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  { after, limit }: { after: Id<'import'> | undefined; limit: number },
): Promise<Import[]> {
  const rest = sql`and (i.created_at, i.import_id) < (
    select created_at, import_id from imports where partner_id = ${partnerId} and import_id = ${after})`
  const rows = await db.query<SealedImport>(sql`
    select ${importColumns} from imports i
     where i.partner_id = ${partnerId} and i.created_at > '-infinity' ${after === undefined ? sql`` : rest}
     order by i.created_at desc, i.import_id desc limit ${limit}`)
  return rows.map((row) => opened(cipher, row))
}

export function findImportForUpdate(tx: Tx, cipher: FieldCipher, key: ImportKey): Promise<Import | undefined> {
  return findImport(tx, cipher, key, sql`for update`)
}

/** The rows after this one, in their order; only those that are not done with if `isPending`. */
export async function listImportRows(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, importId }: ImportKey,
  { after, limit, isPending = false }: { after: number; limit: number; isPending?: boolean },
): Promise<ImportRow[]> {
  const rows = await db.query<Omit<ImportRow, 'content'> & { sealed: string | null }>(sql`
    select row_number as row, outcome, quote_id as "quoteId", content_encrypted as sealed from import_rows
     where partner_id = ${partnerId} and import_id = ${importId} and row_number > ${after}
       ${isPending ? sql`and outcome is null` : sql``}
     order by row_number limit ${limit}`)
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    content: sealed && JSON.parse(cipher.decrypt(sealed, contentAt(importId, row.row)).toString()),
  }))
}

/**
 * Records what came of a row, unless it was recorded before or the row was cancelled: returns whether it did. `now` is
 * in real time.
 */
export async function endImportRow(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, importId }: ImportKey,
  { row, outcome, quoteId, content }: ImportRow & { outcome: RowOutcome },
  now: Date,
): Promise<boolean> {
  const sealed = content && cipher.encrypt(JSON.stringify(content), contentAt(importId, row))
  const ended = await tx.query(sql`
    update import_rows set outcome = ${outcome}, quote_id = ${quoteId}, content_encrypted = ${sealed}
     where partner_id = ${partnerId} and import_id = ${importId} and row_number = ${row} and outcome is null
    returning 1`)
  await tx.query(sql`
    update imports set changed_at = ${now} where partner_id = ${partnerId} and import_id = ${importId}`)
  return ended.length === 1
}

/** Counts an attempt that came to nothing. Returns how many there were. */
export async function countAttempt(tx: Tx, { partnerId, importId }: ImportKey, row: number): Promise<number> {
  const [counted] = await tx.query<{ attempts: number }>(sql`
    update import_rows set attempts = attempts + 1
     where partner_id = ${partnerId} and import_id = ${importId} and row_number = ${row} returning attempts`)
  return counted?.attempts ?? 0
}

/** Cancels the rows that are not done. One that is being done either commits first or is rolled back. */
export async function cancelPendingRows(tx: Tx, { partnerId, importId }: ImportKey): Promise<void> {
  await tx.query(sql`
    update import_rows set outcome = 'cancelled'
     where partner_id = ${partnerId} and import_id = ${importId} and outcome is null`)
}

/** The imports with rows to do of partners who have access, in the order in which they were made. */
export function listDueImports(
  db: Queryable,
  { after, limit, partnerId }: { after: Id<'import'> | undefined; limit: number; partnerId?: Id<'partner'> },
): Promise<DueImport[]> {
  return db.query<DueImport>(sql`
    select i.import_id as "importId", i.partner_id as "partnerId", i.created_by as "createdBy",
           i.kind, i.continued_at as "continuedAt", p.clock_offset_seconds as "clockOffsetSeconds"
      from imports i join partners p on p.partner_id = i.partner_id
     where i.import_id > ${after ?? ''} and i.paused_at is null and p.disabled_at is null and p.suspended_at is null
       ${partnerId === undefined ? sql`` : sql`and i.partner_id = ${partnerId}`}
       and exists (select from import_rows r
                    where r.import_id = i.import_id and r.partner_id = i.partner_id and r.outcome is null)
     order by i.import_id limit ${limit}`)
}

/** At most two quotes with this reference, or of this property, whose households have contracts in force. */
export function listHouseholdsInForce(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  by: { reference: string } | { addressUid: string },
): Promise<{ quoteId: Id<'quote'> }[]> {
  const isMeant =
    'addressUid' in by
      ? sql`q.address_uid = ${by.addressUid}`
      : sql`q.reference_hash = any(${referenceHashes(cipher, partnerId, by.reference)}::text[])`
  return db.query(sql`
    select q.quote_id as "quoteId" from quotes q
     where q.partner_id = ${partnerId} and q.stage = 'completed' and ${isMeant}
       and exists (select from contracts k
                    where k.quote_id = q.quote_id and k.partner_id = q.partner_id and k.status = 'in_force')
     order by q.created_at desc limit 2`)
}

/**
 * Of the tenants of households that the partner's imports made, since then if it is not null: how many we sent their
 * link to, how many of them said that it is not them or have an address that takes no e-mail, and how many links wait
 * to be sent.
 */
export async function countLinkMails(
  db: Queryable,
  partnerId: Id<'partner'>,
  since: Date | null,
): Promise<{ sent: number; wrong: number; waiting: number }> {
  const [counts] = await db.query<{ sent: number; wrong: number; waiting: number }>(sql`
    select count(*) filter (where m.outcome is not null)::int as sent,
           count(*) filter (where m.outcome in ('refused', 'given_up') or exists (
             select from tenant_mail_refusals f
              where f.partner_id = c.partner_id and f.email_hash = c.email_hash))::int as wrong,
           count(*) filter (where m.attempts = 0 and m.outcome is null)::int as waiting
      from imports i
      join import_rows r on r.import_id = i.import_id and r.partner_id = i.partner_id and r.outcome = 'done'
      join customers c on c.quote_id = r.quote_id and c.partner_id = r.partner_id
      join tenant_mails m on m.customer_id = c.customer_id and m.partner_id = c.partner_id and m.kind = 'link'
     where i.partner_id = ${partnerId} and i.created_at > '-infinity' and i.kind = 'start'
       and c.created_at > coalesce(${since}::timestamptz, '-infinity')`)
  return counts ?? { sent: 0, wrong: 0, waiting: 0 }
}

/** Forgets what was sent about the household of a quote. */
export async function forgetImportRowsOf(tx: Tx, partnerId: Id<'partner'>, quoteId: Id<'quote'>): Promise<void> {
  await tx.query(sql`
    update import_rows set content_encrypted = null
     where partner_id = ${partnerId} and quote_id = ${quoteId} and content_encrypted is not null`)
}

/** Deletes at most `limit` imports that changed last longer ago. */
export async function deleteOldImports(system: Queryable, now: Date, limit: number): Promise<number> {
  const deleted = await system.query(sql`
    with old as (
      select i.import_id, i.partner_id from imports i
       where i.changed_at > '-infinity' and i.changed_at < ${now}::timestamptz - ${importRetentionDays}::int * interval '1 day'
       order by i.changed_at limit ${limit}
    ), rows as (
      delete from import_rows r using old where r.import_id = old.import_id and r.partner_id = old.partner_id
    )
    delete from imports i using old where i.import_id = old.import_id and i.partner_id = old.partner_id returning 1`)
  return deleted.length
}
