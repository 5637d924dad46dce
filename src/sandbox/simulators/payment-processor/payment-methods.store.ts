import type { Decline } from '../../../payments/test-cards.ts'
import type { Queryable, Tx } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { CardSummary } from './card-attempt.ts'

/** A card attached by a setup intent. Later payments succeed unless `laterDecline` says why they are declined. */
export interface AttachedCard {
  id: string
  customer: string | null
  card: CardSummary | null
  laterDecline: Decline | null
}

export async function insertPaymentMethod(tx: Tx, attached: AttachedCard): Promise<void> {
  const { id, customer, card, laterDecline } = attached
  await tx.query(sql`
    insert into simulated_processor.payment_methods (id, customer_id, card, later_decline)
    values (${id}, ${customer}, ${card === null ? null : JSON.stringify(card)}::jsonb,
            ${laterDecline === null ? null : JSON.stringify(laterDecline)}::jsonb)`)
}

export async function findPaymentMethod(db: Queryable, id: string): Promise<AttachedCard | undefined> {
  const [row] = await db.query<AttachedCard>(sql`
    select id, customer_id as customer, card, later_decline as "laterDecline"
      from simulated_processor.payment_methods where id = ${id}`)
  return row
}

export async function deleteCustomerPaymentMethods(tx: Tx, customerId: string): Promise<void> {
  await tx.query(sql`delete from simulated_processor.payment_methods where customer_id = ${customerId}`)
}

export async function detachPaymentMethod(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update simulated_processor.payment_methods set customer_id = null where id = ${id}`)
}
