import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
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
  tx.wakeAfterCommit('versions')
}
