import type { Decline } from '../../../payments/test-cards.ts'
import type { Queryable, Tx } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { CardSummary } from './card-attempt.ts'
import { newProcessorId } from './protocol/credentials.ts'
import type { Seal } from './seal.ts'

/** The fields that identify a customer. They are stored encrypted, separately from the rest. */
export interface CustomerPerson {
  name: string | null
  email: string | null
  phone: string | null
  description: string | null
}

/** A customer's fields in Stripe's format, except those that identify the customer. */
interface StoredCustomer {
  id: string
  object: 'customer'
  address: null
  balance: 0
  created: number
  currency: null
  default_source: null
  delinquent: false
  invoice_prefix: null
  invoice_settings: {
    custom_fields: null
    default_payment_method: string | null
    footer: null
    rendering_options: null
  }
  livemode: false
  metadata: Record<string, string>
  preferred_locales: []
  shipping: null
  tax_exempt: 'none'
  test_clock: null
}

interface SimulatedCustomer {
  stored: StoredCustomer
  person: CustomerPerson
}

export function newCustomer(person: CustomerPerson, metadata: Record<string, string>, now: Date): SimulatedCustomer {
  return {
    stored: {
      id: newProcessorId('cus'),
      object: 'customer',
      address: null,
      balance: 0,
      created: Math.floor(now.getTime() / 1000),
      currency: null,
      default_source: null,
      delinquent: false,
      invoice_prefix: null,
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
      livemode: false,
      metadata,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: null,
    },
    person,
  }
}

/** The customer as the simulated API returns it. */
export function customerResponse({ stored, person }: SimulatedCustomer): StoredCustomer & CustomerPerson {
  return { ...stored, ...person }
}

interface CustomerRow {
  object: StoredCustomer
  personal_sealed: string
}

export async function insertCustomer(tx: Tx, seal: Seal, { stored, person }: SimulatedCustomer): Promise<void> {
  const sealed = seal.seal(JSON.stringify(person), stored.id)
  await tx.query(sql`
    insert into simulated_processor.customers (id, object, personal_sealed)
    values (${stored.id}, ${JSON.stringify(stored)}::jsonb, ${sealed})`)
}

export async function updateCustomer(tx: Tx, seal: Seal, { stored, person }: SimulatedCustomer): Promise<void> {
  const sealed = seal.seal(JSON.stringify(person), stored.id)
  await tx.query(sql`
    update simulated_processor.customers
    set object = ${JSON.stringify(stored)}::jsonb, personal_sealed = ${sealed}
    where id = ${stored.id}`)
}

export async function findCustomer(db: Queryable, seal: Seal, id: string): Promise<SimulatedCustomer | undefined> {
  const [row] = await db.query<CustomerRow>(sql`
    select object, personal_sealed from simulated_processor.customers where id = ${id}`)
  return row && opened(seal, row)
}

export async function lockCustomer(tx: Tx, seal: Seal, id: string): Promise<SimulatedCustomer | undefined> {
  const [row] = await tx.query<CustomerRow>(sql`
    select object, personal_sealed from simulated_processor.customers where id = ${id} for update`)
  return row && opened(seal, row)
}

/** Returns whether the customer existed. */
export async function deleteCustomer(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from simulated_processor.customers where id = ${id} returning 1`)
  return rows.length === 1
}

/** The newest hundred customers whose metadata has this value under this key. */
export async function listCustomersByMetadata(
  db: Queryable,
  seal: Seal,
  key: string,
  value: string,
): Promise<SimulatedCustomer[]> {
  const rows = await db.query<CustomerRow>(sql`
    select object, personal_sealed from simulated_processor.customers
    where object -> 'metadata' @> ${JSON.stringify({ [key]: value })}::jsonb
    order by created_at desc, id limit 100`)
  return rows.map((row) => opened(seal, row))
}

function opened(seal: Seal, row: CustomerRow): SimulatedCustomer {
  return { stored: row.object, person: JSON.parse(seal.open(row.personal_sealed, row.object.id)) as CustomerPerson }
}

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
