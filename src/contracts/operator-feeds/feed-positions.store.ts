import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** How many versions get their positions in one statement. */
const positionsAtOnce = 5_000

/** A version that has got its position in the feed. */
export interface PositionedVersion {
  contractNumber: string
  version: number
  position: string
  recordedAt: Date
}

/**
 * The last position of the contract feed, locked until the transaction ends; undefined while another process is giving
 * positions.
 */
export async function lockLastPosition(tx: Tx): Promise<string | undefined> {
  const [feed] = await tx.query<{ lastPosition: string }>(sql`
    select last_position::text as "lastPosition" from contract_feed for update skip locked`)
  return feed?.lastPosition
}

/**
 * Gives positions after the locked last one to the versions of all transactions that have ended and that no older
 * transaction can precede, in their order. Returns them if `returnsThem`, and none otherwise.
 */
export async function assignPositions(
  tx: Tx,
  lastPosition: string,
  returnsThem: boolean,
): Promise<{ positioned: PositionedVersion[]; hasMore: boolean }> {
  const positioned = await tx.query<PositionedVersion>(sql`
    with waiting as (
      select contract_number, version, row_number() over (order by transaction_id, recorded_at, contract_number,
                                                          version) as rank
        from (select contract_number, version, transaction_id, recorded_at from contract_versions
               where position is null and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
               order by transaction_id, recorded_at, contract_number, version limit ${positionsAtOnce}) oldest),
    positioned as (
      update contract_versions v set position = ${lastPosition}::bigint + rank
        from waiting where v.contract_number = waiting.contract_number and v.version = waiting.version
      returning v.contract_number, v.version, v.position, v.recorded_at),
    counted as (
      update contract_feed set last_position = last_position + (select count(*) from positioned))
    select contract_number as "contractNumber", version, position::text as position, recorded_at as "recordedAt"
      from positioned where ${returnsThem} order by positioned.position`)
  return { positioned, hasMore: positioned.length === positionsAtOnce }
}

/** The feeds of the operator API. */
export type FeedName = 'contracts' | 'psr'

/** What identifies a feed, and where it ends. */
export async function findFeedState(
  system: Queryable,
  feed: FeedName,
): Promise<{ epoch: string; lastPosition: string }> {
  const lastPosition = { contracts: sql`last_position`, psr: sql`last_psr_position` }[feed]
  // A restore into another server or database, or to an earlier time, and a failover change one of the first three.
  // pg_control_checkpoint() would notice a failover only after the next checkpoint, minutes later.
  const [row] = await system.query<{ epoch: string; lastPosition: string }>(sql`
    select ${lastPosition}::text as "lastPosition", left(encode(sha256(convert_to(
             (select system_identifier::text from pg_control_system()) || ' ' || (select timeline_id
               from pg_split_walfile_name(pg_walfile_name(pg_current_wal_insert_lsn()))) || ' ' ||
             (select oid from pg_database where datname = current_database()) || ' ' || generation || ' ' || ${feed},
             'UTF8')), 'hex'), 12) as epoch
      from contract_feed`)
  if (row === undefined) throw new Error('the contract feed has no state')
  return row
}

/** The position of the entry that is `count` entries after a position; undefined if there are fewer. */
export async function findPositionAhead(
  system: Queryable,
  feed: FeedName,
  { after, count }: { after: string; count: number },
): Promise<string | undefined> {
  const table = { contracts: sql`contract_versions`, psr: sql`psr_entries` }[feed]
  const [row] = await system.query<{ position: string }>(sql`
    select position::text as position from ${table}
     where position > ${after}::bigint order by position offset ${count - 1} limit 1`)
  return row?.position
}
