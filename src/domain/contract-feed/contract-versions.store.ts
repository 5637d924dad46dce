import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'
import type { ContractChange } from './contract-change.ts'

/** Adds a version to each of a customer's contracts, for a change that no trigger of the database sees. */
export async function addContractVersions(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  change: ContractChange,
): Promise<void> {
  await tx.query(sql`
    select add_contract_versions(${partnerId}, array(
      select contract_number from contracts
       where partner_id = ${partnerId} and customer_id = ${customerId} order by contract_number), ${change})`)
}

/** How many versions get their positions in one statement. */
const placedAtOnce = 5_000

/**
 * Gives positions to the versions of all transactions that have ended and that no older transaction can precede, in their order. Does nothing
 * while another process is doing so.
 */
export async function placeContractVersions(tx: Tx): Promise<void> {
  const [feed] = await tx.query<{ lastPosition: string }>(sql`
    select last_position::text as "lastPosition" from contract_feed for update skip locked`)
  if (feed === undefined) return
  await tx.query(sql`
    with waiting as (
      select contract_number, version, row_number() over (order by transaction_id, recorded_at, contract_number, version) as place
        from (select contract_number, version, transaction_id, recorded_at from contract_versions
               where position is null and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
               order by transaction_id, recorded_at, contract_number, version limit ${placedAtOnce}) oldest),
    placed as (
      update contract_versions v set position = ${feed.lastPosition}::bigint + place
        from waiting where v.contract_number = waiting.contract_number and v.version = waiting.version
      returning 1),
    counted as (select count(*)::int as placed from placed)
    update contract_feed set last_position = last_position + placed from counted`)
}
