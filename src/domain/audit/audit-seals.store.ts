import type { Database, Queryable } from '../../db/database.ts'
import { empty, sql } from '../../db/sql.ts'

/** A seal: a link in a partner's chain. Its hash covers its entries and the hash of the seal before. */
export interface AuditSeal {
  partnerId: string
  sealNumber: number
  epoch: number
  fromTransaction: string
  belowTransaction: string
  entryCount: number
  firstEntryAt: Date
  lastEntryAt: Date
  /** In hex, as is `hash`. Empty for a partner's first seal. */
  previousHash: string
  hash: string
}

/** The last seal of a partner. `lastEntryAt` is undefined if it was kept before heads had it. */
export type AuditHead = Pick<AuditSeal, 'partnerId' | 'sealNumber' | 'hash'> & { lastEntryAt: Date | undefined }

/** Seals the entries of ended transactions, about 20,000 at most. Returns how many; 0 if there are none or another process is sealing. */
export async function sealAuditLog(system: Queryable): Promise<number> {
  const [row] = await system.query<{ sealed: number }>(sql`select seal_audit_log() as sealed`)
  return row?.sealed ?? 0
}

/** The last seal of every partner that has one, by partner id. */
export function listAuditHeads(system: Queryable): Promise<AuditHead[]> {
  return system.query<AuditHead>(sql`
    select p.partner_id as "partnerId", seal_number::float8 as "sealNumber", encode(hash, 'hex') as hash, last_entry_at as "lastEntryAt"
      from partners p cross join lateral (
        select * from audit_seals s where s.partner_id = p.partner_id order by seal_number desc limit 1) last
     order by p.partner_id`)
}

/** Removes at most `batch` seals of a partner whose entries have left, except the last of them. Returns how many it removed. */
export async function deleteOldAuditSeals(system: Queryable, partnerId: string, batch: number): Promise<number> {
  const [row] = await system.query<{ deleted: number }>(
    sql`select delete_old_audit_seals(${partnerId}, ${batch}) as deleted`,
  )
  return row?.deleted ?? 0
}

/** What has left the log. */
export interface AuditRemoval {
  /** All entries before this time have left. */
  removedBefore: Date
  /** That is less than six years ago, which only the owner of the database can do. */
  isTooEarly: boolean
}

/** The latest removal of old entries; undefined if there was none. */
export async function findAuditRemoval(system: Queryable): Promise<AuditRemoval | undefined> {
  const [row] = await system.query<AuditRemoval>(sql`
    select removed_before as "removedBefore", removed_before > now() - interval '6 years' as "isTooEarly"
      from audit_removals order by removed_before desc limit 1`)
  return row
}

/** A partner's seals after the given one, in order, at most `limit`. */
export function listAuditSeals(
  db: Database,
  partnerId: string,
  { after, limit }: { after: number; limit: number },
): Promise<AuditSeal[]> {
  return db.query<AuditSeal>(sql`
    select partner_id as "partnerId", seal_number::float8 as "sealNumber", epoch, from_transaction::text as "fromTransaction",
           below_transaction::text as "belowTransaction", entry_count as "entryCount",
           coalesce(first_entry_at, last_entry_at) as "firstEntryAt", last_entry_at as "lastEntryAt",
           encode(previous_hash, 'hex') as "previousHash", encode(hash, 'hex') as hash
      from audit_seals where partner_id = ${partnerId} and seal_number > ${after} order by seal_number limit ${limit}`)
}

/** The texts of a seal's entries from a time on (or all), in the order in which they were hashed. */
export async function listSealedTexts(db: Database, seal: AuditSeal, since: Date | undefined): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select audit_entry_text(l) as text from audit_log l
     where partner_id = ${seal.partnerId}
       and transaction_id >= ${seal.fromTransaction}::text::xid8 and transaction_id < ${seal.belowTransaction}::text::xid8
       and entry_number > (select after_entry from audit_epochs where epoch = ${seal.epoch})
       and entry_number <= coalesce((select min(after_entry) from audit_epochs where epoch > ${seal.epoch}), 9223372036854775807)
       ${since === undefined ? empty : sql`and at >= ${since}`}
     order by transaction_id, entry_number`)
  return rows.map(({ text }) => text)
}

/** How many entries a partner has from a time on (or of any time), sealed or not. */
export async function countAuditEntries(db: Database, partnerId: string, since: Date | undefined): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::float8 as count from audit_log
     where partner_id = ${partnerId} ${since === undefined ? empty : sql`and at >= ${since}`}`)
  return row?.count ?? 0
}
