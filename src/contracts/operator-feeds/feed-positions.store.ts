import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ContractChange } from './feed-changes.ts'

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

/** Which contracts: those with these numbers, all of a customer, or all of a household that have taken effect. */
export type ChangedContracts =
  | { contractNumbers: readonly string[] }
  | { customerId: Id<'tenant'> }
  | { quoteId: Id<'quote'> }
  /** The contract that this change inserts. */
  | { newContractOf: Id<'tenant'> }

/** Adds a version to each of the contracts. Returns whose they are, each customer once. */
export async function insertContractVersions(
  tx: Tx,
  { partnerId, ...contracts }: { partnerId: Id<'partner'> } & ChangedContracts,
  change: ContractChange,
): Promise<Id<'tenant'>[]> {
  // The number comes from the contract's row, which the update locks: two changes get different versions.
  const rows = await tx.query<{ customerId: Id<'tenant'> }>(sql`
    with changed as (
      update contracts set version = version + 1 where partner_id = ${partnerId} and ${chosen(contracts)}
      returning contract_number, customer_id, version),
    added as (
      insert into contract_versions (contract_number, version, partner_id, change)
      select contract_number, version, ${partnerId}, ${change} from changed)
    select distinct customer_id as "customerId" from changed`)
  return rows.map(({ customerId }) => customerId)
}

function chosen(contracts: ChangedContracts): Sql {
  if ('contractNumbers' in contracts) return sql`contract_number = any(${[...contracts.contractNumbers]}::text[])`
  if ('quoteId' in contracts) return sql`quote_id = ${contracts.quoteId} and effective_at is not null`
  if ('newContractOf' in contracts) return sql`customer_id = ${contracts.newContractOf} and version = 0`
  return sql`customer_id = ${contracts.customerId}`
}

/** Records that the back office has taken over the version, which covers every earlier one. */
export async function markVersionsAcknowledged(
  tx: Tx,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
  version: number,
): Promise<void> {
  await tx.query(sql`
    update contract_versions set is_acknowledged = true
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and version <= ${version}
       and not is_acknowledged`)
}
