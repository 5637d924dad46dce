import type { Queryable, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { PaymentErrorCode } from '../payments/payment-error.ts'
import {
  type Acceptance,
  type Customer,
  type CustomerStatus,
  type PaymentStatus,
  type PersonalDetails,
  unknownDetails,
} from './customer.ts'
import { comparableEmail } from './email.ts'
import type { PsrDetails } from './psr.ts'

interface CustomerRow extends Omit<Customer, 'personal' | 'lastPaymentError'> {
  personalEncrypted: string
  paymentErrorEncrypted: string | null
}

const personalColumn = 'customers.personal'
const psrColumn = 'customers.psr'
const paymentErrorColumn = 'customers.last_payment_error'
const evidenceColumn = 'customers.acceptance_evidence'

/** The decrypted customer; undefined if this partner has no customer with that id. */
export async function findCustomer(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(sql`
    select customer_id as "customerId", quote_id as "quoteId", partner_id as "partnerId", joining_number as "joiningNumber",
           status, payment_status as "paymentStatus", personal_encrypted as "personalEncrypted",
           last_payment_error_encrypted as "paymentErrorEncrypted",
           supply_during_cancellation as "supplyDuringCancellation", terms_accepted_at as "termsAcceptedAt", erased_at as "erasedAt"
      from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  if (row === undefined) return undefined
  const { personalEncrypted, paymentErrorEncrypted, ...rest } = row
  const stored = decryptJson<Partial<PersonalDetails>>(cipher, personalEncrypted, personalColumn, customerId)
  const lastPaymentError =
    paymentErrorEncrypted === null
      ? null
      : decryptJson<PaymentErrorCode>(cipher, paymentErrorEncrypted, paymentErrorColumn, customerId)
  return { ...rest, lastPaymentError, personal: { ...unknownDetails, ...stored } }
}

/** The ids of a quote's customers whose data was erased. */
export async function listErasedCustomers(
  db: Queryable,
  partnerId: Id<'partner'>,
  quoteId: Id<'quote'>,
): Promise<string[]> {
  const rows = await db.query<{ customerId: Id<'tenant'> }>(sql`
    select customer_id as "customerId" from customers
     where partner_id = ${partnerId} and quote_id = ${quoteId} and erased_at is not null`)
  return rows.map(({ customerId }) => customerId)
}

/**
 * The customer's Priority Services Register details; null if they gave none. This is the only query that reads them, and the same
 * statement records the reader in the audit log.
 */
export async function findPsr(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<PsrDetails | null> {
  const [row] = await db.query<{ psrEncrypted: string }>(sql`
    select psr_encrypted as "psrEncrypted",
           write_audit_entry(partner_id, 'psr.read', 'customer', customer_id, quote_id, customer_id, '{psr}')
      from customers where partner_id = ${partnerId} and customer_id = ${customerId} and psr_encrypted is not null`)
  return row === undefined ? null : decryptJson<PsrDetails>(cipher, row.psrEncrypted, psrColumn, customerId)
}

export interface NewCustomer {
  customerId: Id<'tenant'>
  joiningNumber: number
  personal: PersonalDetails
}

/** Adds tenants to a quote in one statement. Violates `one_tenant_per_email` if a tenant of the quote has the same email. */
export async function insertCustomers(
  tx: Tx,
  cipher: FieldCipher,
  quote: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  customers: readonly NewCustomer[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into customers (customer_id, quote_id, partner_id, joining_number, status, personal_encrypted, email_hash, created_at, updated_at)
    select id, ${quote.quoteId}, ${quote.partnerId}, number, 'active', personal, hash, ${now}, ${now}
      from unnest(${customers.map((customer) => customer.customerId)}::text[],
                  ${customers.map((customer) => customer.joiningNumber)}::int[],
                  ${customers.map((customer) => encryptJson(cipher, customer.personal, personalColumn, customer.customerId))}::text[],
                  ${customers.map((customer) => emailHash(cipher, customer.personal.email))}::text[]) as t (id, number, personal, hash)`)
}

/** Removes tenants. If the payment processor may know a tenant, also queues their deletion there. */
export async function deleteCustomers(
  tx: Tx,
  partnerId: Id<'partner'>,
  quoteId: Id<'quote'>,
  customerIds: readonly string[],
): Promise<void> {
  for (const table of [sql`setup_intents`, sql`payment_reports`, sql`payment_entries`])
    await tx.query(
      sql`delete from ${table} where partner_id = ${partnerId} and customer_id = any(${customerIds}::text[])`,
    )
  await tx.query(sql`
    with removed as (
      delete from customers where partner_id = ${partnerId} and quote_id = ${quoteId} and customer_id = any(${customerIds}::text[])
      returning customer_id, processor_customer_id, processor_asked_at)
    insert into processor_deletions (customer_id, partner_id, processor_customer_id)
    select customer_id, ${partnerId}, processor_customer_id from removed where processor_asked_at is not null
    on conflict (customer_id) do nothing`)
}

/** Replaces the personal information. Violates `one_tenant_per_email` if another tenant has the email address. */
export async function updatePersonalInformation(
  tx: Tx,
  cipher: FieldCipher,
  customer: Pick<Customer, 'customerId' | 'partnerId' | 'personal' | 'supplyDuringCancellation'> & {
    psr: PsrDetails | null
  },
  now: Date,
): Promise<void> {
  const { customerId, partnerId, personal, psr, supplyDuringCancellation } = customer
  await tx.query(sql`
    update customers set status = 'PersonalInfoComplete', personal_encrypted = ${encryptJson(cipher, personal, personalColumn, customerId)},
           email_hash = ${emailHash(cipher, personal.email)},
           psr_encrypted = ${psr === null ? null : encryptJson(cipher, psr, psrColumn, customerId)},
           supply_during_cancellation = ${supplyDuringCancellation}, personal_information_at = ${now}, updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/**
 * Changes personal details and, unless `psr` is undefined, the Priority Services Register details. Violates `one_tenant_per_email`
 * if another tenant has the email address.
 */
export async function updatePersonalDetails(
  tx: Tx,
  cipher: FieldCipher,
  customer: Pick<Customer, 'customerId' | 'partnerId' | 'personal'> & { psr: PsrDetails | undefined },
  now: Date,
): Promise<void> {
  const { customerId, partnerId, personal, psr } = customer
  const psrEncrypted = psr === undefined ? null : encryptJson(cipher, psr, psrColumn, customerId)
  await tx.query(sql`
    update customers set personal_encrypted = ${encryptJson(cipher, personal, personalColumn, customerId)},
           email_hash = ${emailHash(cipher, personal.email)}, psr_encrypted = coalesce(${psrEncrypted}, psr_encrypted),
           updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

export async function updatePaymentStatus(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
  status: PaymentStatus,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update customers set payment_status = ${status}, updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** Records why the last attempt to attach a card or to collect a payment failed, or null if it succeeded. */
export async function updatePaymentError(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, customerId }: Pick<Customer, 'partnerId' | 'customerId'>,
  code: PaymentErrorCode | null,
): Promise<void> {
  const encrypted = code === null ? null : encryptJson(cipher, code, paymentErrorColumn, customerId)
  await tx.query(sql`
    update customers set last_payment_error_encrypted = ${encrypted}
     where partner_id = ${partnerId} and customer_id = ${customerId}
       and (last_payment_error_encrypted is not null or ${encrypted}::text is not null)`)
}

/**
 * Records the time of a collection, or of a new card, as given by the processor. Returns false if a later collection is already recorded, in which
 * case this one must be ignored.
 */
export async function recordCollectionTime(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
  at: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update customers set last_collection_at = ${at}
     where partner_id = ${partnerId} and customer_id = ${customerId} and coalesce(last_collection_at <= ${at}, true)
    returning 1`)
  return rows.length === 1
}

/**
 * The IP address and user agent from which the terms were accepted, as reported by the partner. Encrypted, because they are
 * personal data.
 */
export interface AcceptanceEvidence {
  tenantIp?: string
  tenantUserAgent?: string
}

export async function recordAcceptance(
  tx: Tx,
  cipher: FieldCipher,
  customer: Pick<Customer, 'customerId' | 'partnerId'>,
  accepted: { at: Date; acceptance: Acceptance; evidence: AcceptanceEvidence },
): Promise<void> {
  await tx.query(sql`
    update customers set status = ${'OnboardingComplete' satisfies CustomerStatus}, terms_accepted_at = ${accepted.at},
           acceptance = ${JSON.stringify(accepted.acceptance)}::jsonb,
           acceptance_evidence_encrypted = ${encryptJson(cipher, accepted.evidence, evidenceColumn, customer.customerId)}, updated_at = ${accepted.at}
     where partner_id = ${customer.partnerId} and customer_id = ${customer.customerId}`)
}

function emailHash(cipher: FieldCipher, email: string): string {
  return cipher.hash(comparableEmail(email))
}

function encryptJson(cipher: FieldCipher, value: unknown, column: string, row: string): string {
  return cipher.encrypt(JSON.stringify(value), { column, row })
}

function decryptJson<Value>(cipher: FieldCipher, value: string, column: string, row: string): Value {
  return JSON.parse(cipher.decrypt(value, { column, row }).toString('utf8')) as Value
}
