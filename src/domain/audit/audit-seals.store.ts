import type { Database, Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** A seal: a link in a partner's chain. Its hash covers its entries and the hash of the seal before. */
export interface AuditSeal {
  partnerId: string
  sealNumber: number
  epoch: number
  fromTransaction: string
  belowTransaction: string
  entryCount: number
  /** In hex, as is `hash`. Empty for a partner's first seal. */
  previousHash: string
  hash: string
}

/** The last seal of a partner. */
export type AuditHead = Pick<AuditSeal, 'partnerId' | 'sealNumber' | 'hash'>

/** Seals the entries of ended transactions, about 20,000 at most. Returns how many; 0 if there are none or another process is sealing. */
export async function sealAuditLog(system: Queryable): Promise<number> {
  const [row] = await system.query<{ sealed: number }>(sql`select seal_audit_log() as sealed`)
  return row?.sealed ?? 0
}

/** The last seal of every partner that has one, by partner id. */
export function listAuditHeads(system: Queryable): Promise<AuditHead[]> {
  return system.query<AuditHead>(sql`
    select distinct on (partner_id) partner_id as "partnerId", seal_number::float8 as "sealNumber", encode(hash, 'hex') as hash
      from audit_seals order by partner_id, seal_number desc`)
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
           encode(previous_hash, 'hex') as "previousHash", encode(hash, 'hex') as hash
      from audit_seals where partner_id = ${partnerId} and seal_number > ${after} order by seal_number limit ${limit}`)
}

/** The texts of a seal's entries, in the order in which they were hashed. */
export async function listSealedTexts(db: Database, seal: AuditSeal): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select audit_entry_text(l) as text from audit_log l
     where partner_id = ${seal.partnerId}
       and transaction_id >= ${seal.fromTransaction}::text::xid8 and transaction_id < ${seal.belowTransaction}::text::xid8
       and entry_number > (select after_entry from audit_epochs where epoch = ${seal.epoch})
       and entry_number <= coalesce((select min(after_entry) from audit_epochs where epoch > ${seal.epoch}), 9223372036854775807)
     order by transaction_id, entry_number`)
  return rows.map(({ text }) => text)
}

/** How many entries a partner has, sealed or not. */
export async function countAuditEntries(db: Database, partnerId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::float8 as count from audit_log where partner_id = ${partnerId}`,
  )
  return row?.count ?? 0
}
