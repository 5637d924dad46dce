import type { Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** Deletes what is stored about the customers' cards. */
export async function deleteSetupIntents(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<void> {
  await tx.query(
    sql`delete from setup_intents where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])`,
  )
}

/** Deletes the customers' payments and what was reported of them. */
export async function deletePayments(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<void> {
  // A customer at a time: for a list of unknown length, every index that has the partner looks as good as the customers'.
  for (const customerId of customerIds) {
    await tx.query(sql`
      with orders as (
        delete from refund_orders where partner_id = ${partnerId} and entry_id in (
          select entry_id from payment_entries where partner_id = ${partnerId} and customer_id = ${customerId}))
      delete from payment_reports where partner_id = ${partnerId} and customer_id = ${customerId}`)
    await tx.query(sql`delete from collecting_holds where partner_id = ${partnerId} and customer_id = ${customerId}`)
    await tx.query(sql`delete from payment_entries where partner_id = ${partnerId} and customer_id = ${customerId}`)
  }
}

/** Erases why the customer's payments failed or were given up, and keeps the payments. */
export async function erasePaymentFailures(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(
    sql`update payment_entries set failure_encrypted = null, waiver_encrypted = null
      where partner_id = ${partnerId} and customer_id = ${customerId}`,
  )
}
