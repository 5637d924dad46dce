import { markVersionsAcknowledged } from '../../contracts/operator-feeds/feed-positions.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** That the back office has taken over a version of a contract. */
export interface Acknowledgement {
  version: number
  /** The contract's reference in the back office. */
  reference: string
  acknowledgedAt: Date
}

interface OfContract {
  partnerId: Id<'partner'>
  contractNumber: string
}

/** The acknowledgement of a version; undefined if there is none. */
export async function findAcknowledgement(
  db: Queryable,
  { partnerId, contractNumber }: OfContract,
  version: number,
): Promise<Acknowledgement | undefined> {
  const [row] = await db.query<Acknowledgement>(sql`
    select version, reference, acknowledged_at as "acknowledgedAt" from contract_acknowledgements
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and version = ${version}`)
  return row
}

/**
 * Stores an acknowledgement of an existing version, which covers every earlier one. Changes nothing if the version has
 * one already, even if a concurrent call has just made it.
 */
export async function insertAcknowledgement(
  tx: Tx,
  { partnerId, contractNumber }: OfContract,
  { version, reference, acknowledgedAt }: Acknowledgement,
): Promise<void> {
  await tx.query(sql`
    insert into contract_acknowledgements (contract_number, version, partner_id, reference, acknowledged_at)
    values (${contractNumber}, ${version}, ${partnerId}, ${reference}, ${acknowledgedAt})
    on conflict (contract_number, partner_id, version) do nothing`)
  await markVersionsAcknowledged(tx, { partnerId, contractNumber }, version)
}

/** The latest version of a contract; 0 for an unknown one. */
export async function findLatestVersion(db: Queryable, { partnerId, contractNumber }: OfContract): Promise<number> {
  const [row] = await db.query<{ version: number }>(sql`
    select coalesce(max(version), 0) as version from contract_versions
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
  return row?.version ?? 0
}
