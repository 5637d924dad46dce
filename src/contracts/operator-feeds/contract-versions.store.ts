import type { Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ContractChange } from './feed-changes.ts'

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
