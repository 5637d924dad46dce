import type { Origin } from '../db/access.ts'
import type { Queryable } from '../db/database.ts'
import { empty, sql } from '../db/sql.ts'
import type { AuditEntry, AuditFilter, AuditSubject } from './audit-entry.ts'

/*
 * Triggers write an entry for every row change. Code writes only the entries for actions that change no row. The
 * transaction's origin says who acted.
 */

/**
 * Writes an entry for an action that no database trigger can see: an export of data, or a request to an external
 * system.
 */
export async function insertAuditEntry(
  db: Queryable,
  partnerId: string,
  entry: AuditSubject & { action: 'asked' | 'exported'; fields: readonly string[] },
): Promise<void> {
  const { action, subjectType, subjectId, quoteId, customerId, fields } = entry
  await db.query(sql`
    select insert_audit_entry(${partnerId}, ${action}, ${subjectType}, ${subjectId}, ${quoteId}, ${customerId},
                              ${fields}::text[])`)
}

/**
 * Records that the operator reads these rows, in the transaction of the read: one entry for each partner on the page,
 * which lists the ids of what it shows, each once. `idOf` returns a row's id.
 */
export async function recordOperatorRead<Row extends { partnerId: string }>(
  tx: Queryable,
  subjectType: 'contract' | 'psr' | 'payment' | 'customer',
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Promise<void> {
  if (rows.length === 0) return
  const byPartner = Map.groupBy(rows, ({ partnerId }) => partnerId)
  const page = Object.fromEntries([...byPartner].map(([partnerId, own]) => [partnerId, [...new Set(own.map(idOf))]]))
  const action = subjectType === 'psr' ? 'psr.read' : 'read'
  await tx.query(sql`
    select insert_audit_entry(partner_id, ${action}, ${subjectType}, 'page', null, null,
                              array(select jsonb_array_elements_text(ids)))
      from jsonb_each(${JSON.stringify(page)}::jsonb) as page (partner_id, ids)`)
}

/** Somebody saw the data of a customer. */
export interface AuditedRead {
  partnerId: string
  origin: Origin | undefined
  subjectType: 'customer' | 'contract'
  customerId: string
}

/** Writes an entry for each read, in one commit. The reads may belong to several partners. */
export async function insertReads(system: Queryable, reads: readonly AuditedRead[]): Promise<void> {
  const column = (value: (read: AuditedRead) => string | null) => sql`${reads.map(value)}::text[]`
  await system.query(sql`
    insert into audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id,
                           customer_id)
    select partner_id, actor, credential, request_id, operation, 'read', subject_type, customer_id, customer_id
      from unnest(${column((read) => read.partnerId)}, ${column((read) => read.origin?.actor ?? 'database')},
                  ${column((read) => read.origin?.credential ?? null)},
                  ${column((read) => read.origin?.requestId ?? null)},
                  ${column((read) => read.origin?.operation ?? null)}, ${column((read) => read.subjectType)},
                  ${column((read) => read.customerId)})
           as read (partner_id, actor, credential, request_id, operation, subject_type, customer_id)`)
}

/** The partner's entries, oldest first. If there are more than `limit`, returns only the latest. */
export async function listAuditEntries(db: Queryable, partnerId: string, filter: AuditFilter): Promise<AuditEntry[]> {
  const latestFirst = await db.query<AuditEntry>(sql`
    select at, actor, credential, request_id as "requestId", operation, action, subject_type as "subjectType",
           subject_id as "subjectId", quote_id as "quoteId", customer_id as "customerId", fields
      from audit_log
     where partner_id = ${partnerId}
       ${filter.customerId === undefined ? empty : sql`and customer_id = ${filter.customerId}`}
       ${filter.since === undefined ? empty : sql`and at >= ${filter.since}`}
     order by entry_number desc limit ${filter.limit}`)
  return latestFirst.reverse()
}

/**
 * Drops the months of the audit log that ended before `years` ago, and makes the partitions of the coming months.
 * Returns how many it dropped. PostgreSQL rejects less than six years. Throws if a long transaction holds the log.
 */
export async function dropOldAuditMonths(system: Queryable, years: number): Promise<number> {
  const [row] = await system.query<{ dropped: number }>(
    sql`select maintain_audit_log(now() - make_interval(years => ${years})) as dropped`,
  )
  return row?.dropped ?? 0
}
