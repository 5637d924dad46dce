import type { Queryable, Tx } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { StoredPaymentIntent } from './payment-intent.ts'

/** A payment, how much of it was refunded, and whether the bank disputed it. */
export interface SimulatedPayment {
  intent: StoredPaymentIntent
  refunded: number
  disputed: boolean
}

export async function insertPaymentIntent(tx: Tx, intent: StoredPaymentIntent): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.payment_intents (id, object)
      values (${intent.id}, ${JSON.stringify(intent)}::jsonb)`)
}

export async function findPaymentIntent(db: Queryable, id: string): Promise<StoredPaymentIntent | undefined> {
  const [row] = await db.query<{ object: StoredPaymentIntent }>(sql`
    select object from simulated_processor.payment_intents where id = ${id}`)
  return row?.object
}

/** The customer's payments, the newest first. */
export async function listPaymentIntents(
  db: Queryable,
  customer: string,
  limit: number,
): Promise<StoredPaymentIntent[]> {
  const rows = await db.query<{ object: StoredPaymentIntent }>(sql`
    select object from simulated_processor.payment_intents where object ->> 'customer' = ${customer}
     order by (object ->> 'created')::int desc limit ${limit}`)
  return rows.map(({ object }) => object)
}

/** When the customer's last payment was created (Unix seconds); undefined if there was none. */
export async function findLastPaymentTime(tx: Tx, customer: string): Promise<number | undefined> {
  const [row] = await tx.query<{ created: number | null }>(sql`
    select max((object ->> 'created')::int) as created from simulated_processor.payment_intents
     where object ->> 'customer' = ${customer}`)
  return row?.created ?? undefined
}

/** Finds a payment and locks it until the transaction ends. */
export async function lockPayment(tx: Tx, id: string): Promise<SimulatedPayment | undefined> {
  const [row] = await tx.query<SimulatedPayment>(sql`
    select object as intent, amount_refunded as refunded, disputed
      from simulated_processor.payment_intents where id = ${id} for update`)
  return row
}

export async function updatePayment(tx: Tx, { intent, refunded, disputed }: SimulatedPayment): Promise<void> {
  await tx.query(sql`
    update simulated_processor.payment_intents set amount_refunded = ${refunded}, disputed = ${disputed}
     where id = ${intent.id}`)
}

/** Stripe's refund, as far as the simulator has it. */
export interface StoredRefund {
  id: string
  object: 'refund'
  amount: number
  charge: string
  created: number
  currency: string
  failure_reason?: string
  metadata: Record<string, string>
  payment_intent: string
  reason: string | null
  status: 'succeeded' | 'failed'
}

/** Stripe's dispute, as far as the simulator has it. The statuses that begin with `warning` are those of an inquiry. */
export interface StoredDispute {
  id: string
  object: 'dispute'
  amount: number
  charge: string
  created: number
  currency: string
  is_charge_refundable: boolean
  livemode: false
  metadata: Record<string, string>
  payment_intent: string
  reason: string
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost'
}

type Reversal = StoredRefund | StoredDispute

/** Adds a refund or a dispute, or replaces it. */
export async function saveReversal(tx: Tx, reversal: Reversal): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.reversals (id, payment_intent, object)
    values (${reversal.id}, ${reversal.payment_intent}, ${JSON.stringify(reversal)}::jsonb)
    on conflict (id) do update set object = excluded.object`)
}

export async function findReversal<Kind extends Reversal['object']>(
  db: Queryable,
  kind: Kind,
  id: string,
): Promise<Extract<Reversal, { object: Kind }> | undefined> {
  const [row] = await db.query<{ object: Extract<Reversal, { object: Kind }> }>(sql`
    select object from simulated_processor.reversals where id = ${id} and object ->> 'object' = ${kind}`)
  return row?.object
}

/** The refunds of a payment, the newest first. */
export async function listRefunds(db: Queryable, paymentIntent: string, limit: number): Promise<StoredRefund[]> {
  const rows = await db.query<{ object: StoredRefund }>(sql`
    select object from simulated_processor.reversals
     where payment_intent = ${paymentIntent} and object ->> 'object' = 'refund'
     order by (object ->> 'created')::int desc, id limit ${limit}`)
  return rows.map(({ object }) => object)
}
