import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import type { StoredPaymentIntent } from './payment-intent.ts'

export async function insertPaymentIntent(tx: Tx, intent: StoredPaymentIntent): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.payment_intents (id, object) values (${intent.id}, ${JSON.stringify(intent)}::jsonb)`)
}

/** When the customer's last payment was created (Unix seconds); undefined if there was none. */
export async function findLastPaymentTime(tx: Tx, customer: string): Promise<number | undefined> {
  const [row] = await tx.query<{ created: number | null }>(sql`
    select max((object ->> 'created')::int) as created from simulated_processor.payment_intents
     where object ->> 'customer' = ${customer}`)
  return row?.created ?? undefined
}
