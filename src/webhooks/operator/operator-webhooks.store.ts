import { operatorAccountId } from '../../partners/operators/operator-account.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** Makes the account of the operator's webhooks unless it exists. */
export async function insertOperatorAccount(system: Queryable): Promise<void> {
  await system.query(sql`
    insert into partners (partner_id, name) values (${operatorAccountId}, 'Operator')
     on conflict (partner_id) do nothing`)
}

/** SQL for the ids of the operator's webhooks to which messages are sent. */
export const activeOperatorWebhooks = sql`
  array(select webhook_id from webhooks where partner_id = ${operatorAccountId} and status = 'active'
        order by webhook_id)`

/** Whether the operator has a webhook to which messages are sent. */
export async function hasOperatorWebhook(system: Queryable): Promise<boolean> {
  const [row] = await system.query<{ has: boolean }>(sql`
    select exists (select from webhooks where partner_id = ${operatorAccountId} and status = 'active') as has`)
  return row?.has === true
}
