import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { PaymentErrorCode } from '../../payments/payment-error.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { emailHash, emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { phoneHash } from '../../platform/kernel/phone.ts'
import { afterLock, hasLapsed, type Quote, statusWithoutContract } from '../quotes/quote.ts'
import {
  type Customer,
  type CustomerStatus,
  type PaymentStatus,
  type PersonalDetails,
  psrReviewOn,
  unknownDetails,
} from './customer.ts'
import { encryptPsr } from './psr.store.ts'
import type { PsrDetails } from './psr.ts'

interface CustomerRow extends Omit<Customer, 'personal' | 'lastPaymentError'>, Pick<Quote, 'stage' | 'lockedUntil'> {
  personalEncrypted: string
  paymentErrorEncrypted: string | null
}

const personalColumn = 'customers.personal'
const paymentErrorColumn = 'customers.last_payment_error'

/**
 * The decrypted customer as of `now`; undefined if this partner has no customer with that id. When the lock of the
 * quote has ended, nobody has accepted, whether or not that has been stored.
 */
export async function findCustomer(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  customerId: Id<'tenant'>,
): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(sql`
    select c.customer_id as "customerId", c.quote_id as "quoteId", c.partner_id as "partnerId",
           c.joining_number as "joiningNumber",
           c.status, c.payment_status as "paymentStatus", c.personal_encrypted as "personalEncrypted",
           c.last_payment_error_encrypted as "paymentErrorEncrypted",
           c.supply_during_cancellation as "earlySupplyRequested", c.terms_accepted_at as "termsAcceptedAt",
           c.contract_number as "contractNumber", c.removed_at as "removedAt", c.erased_at as "erasedAt", q.stage,
           q.locked_until as "lockedUntil"
      from customers c join quotes q on q.partner_id = c.partner_id and q.quote_id = c.quote_id
     where c.partner_id = ${partnerId} and c.customer_id = ${customerId}`)
  if (row === undefined) return undefined
  const { personalEncrypted, paymentErrorEncrypted, stage, lockedUntil, ...rest } = row
  const lastPaymentError =
    paymentErrorEncrypted === null
      ? null
      : decryptJson<PaymentErrorCode>(cipher, paymentErrorEncrypted, paymentErrorColumn, customerId)
  const personal = decryptPersonal(cipher, { customerId, personalEncrypted })
  const customer = { ...rest, lastPaymentError, personal }
  if (!hasLapsed({ stage, lockedUntil }, now)) return customer
  const paymentStatus = afterLock(customer.paymentStatus)
  return {
    ...customer,
    ...{ status: statusWithoutContract(customer.status), paymentStatus, termsAcceptedAt: null },
    lastPaymentError: paymentStatus === 'not_started' ? null : customer.lastPaymentError,
  }
}

/** Decrypts the personal details of a customer's row. */
export function decryptPersonal(
  cipher: FieldCipher,
  { customerId, personalEncrypted }: { customerId: string; personalEncrypted: string },
): PersonalDetails {
  const stored = decryptJson<Partial<PersonalDetails>>(cipher, personalEncrypted, personalColumn, customerId)
  return { ...unknownDetails, ...stored }
}

/**
 * Everyone who is or was on a quote, has no contract that counts, and has not been erased; of those who are to take
 * over a share, only who was added before `joinedBefore`.
 */
export async function listPersonsWithoutContract(
  db: Queryable,
  { partnerId, quoteId }: Pick<Customer, 'partnerId' | 'quoteId'>,
  joinedBefore: Date,
): Promise<Id<'tenant'>[]> {
  const rows = await db.query<{ customerId: Id<'tenant'> }>(sql`
    select customer_id as "customerId" from customers
     where partner_id = ${partnerId} and quote_id = ${quoteId} and status <> 'OnboardingComplete' and erased_at is null
       and (replaces_customer_id is null or created_at < ${joinedBefore})
     order by joining_number`)
  return rows.map(({ customerId }) => customerId)
}

export interface NewCustomer {
  customerId: Id<'tenant'>
  personal: PersonalDetails
  /** Whose share the tenant takes over, and from which day; absent for the tenants of the original household. */
  replaces?: { customerId: Id<'tenant'>; from: IsoDate }
}

/**
 * Adds tenants to a quote in one statement, after everyone who is on the quote, or was removed and is still kept.
 * Returns their joining numbers. If everyone on the quote had been erased, records that it has personal data again. The
 * caller holds the quote's row lock. Violates `one_tenant_per_email` if a tenant of the quote has the same email.
 */
export async function insertCustomers(
  tx: Tx,
  cipher: FieldCipher,
  quote: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  customers: readonly NewCustomer[],
  now: Date,
): Promise<Map<Id<'tenant'>, number>> {
  const rows = await tx.query<{ customerId: Id<'tenant'>; joiningNumber: number }>(sql`
    with persons_again as (
      update quotes set persons_removed_at = null, updated_at = ${now}
       where partner_id = ${quote.partnerId} and quote_id = ${quote.quoteId} and persons_removed_at is not null)
    insert into customers (customer_id, quote_id, partner_id, joining_number, status, personal_encrypted, email_hash,
                           phone_hash,
                           replaces_customer_id, joins_on, created_at, updated_at)
    select id, ${quote.quoteId}, ${quote.partnerId}, last.number + place, 'active', personal, hash, phone, replaces, joins_on,
           ${now}, ${now}
      from unnest(${customers.map((customer) => customer.customerId)}::text[],
                  ${customers.map((customer) => encryptJson(cipher, customer.personal, personalColumn, customer.customerId))}::text[],
                  ${customers.map(({ customerId, personal }) => ownHash(cipher, customerId, personal.email))}::text[],
                  ${customers.map((customer) => phoneHash(cipher, customer.personal.phone))}::text[],
                  ${customers.map(({ replaces }) => replaces?.customerId ?? null)}::text[],
                  ${customers.map(({ replaces }) => replaces?.from ?? null)}::date[])
             with ordinality as t (id, personal, hash, phone, replaces, joins_on, place),
           (select coalesce(max(joining_number), 0) as number from customers
             where partner_id = ${quote.partnerId} and quote_id = ${quote.quoteId}) last
    returning customer_id as "customerId", joining_number as "joiningNumber"`)
  return new Map(rows.map(({ customerId, joiningNumber }) => [customerId, joiningNumber]))
}

/** For how long an address that proved itself tells whose it is. */
const provedForDays = 90

/** Others of the partner who have proved in the last 90 days that they read the e-mails to one of these addresses. */
export async function listProvedAddresses(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  emails: readonly string[],
): Promise<{ customerId: Id<'tenant'>; personal: PersonalDetails }[]> {
  const rows = await tx.query<{ customerId: Id<'tenant'>; personalEncrypted: string }>(sql`
    select customer_id as "customerId", personal_encrypted as "personalEncrypted" from customers
     where partner_id = ${partnerId} and email_hash = any(${emails.flatMap((each) => emailHashes(cipher, each))}::text[])
       and email_confirmed_at > ${now}::timestamptz - ${provedForDays} * interval '1 day'`)
  return rows.map((row) => ({ customerId: row.customerId, personal: decryptPersonal(cipher, row) }))
}

/** Records what is doubtful about the e-mail address of a tenant, until they have another one. */
export async function updateEmailDoubts(
  tx: Tx,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  customerId: Id<'tenant'>,
  { isAtPartner, isOfAnother }: { isAtPartner: boolean; isOfAnother: boolean },
): Promise<void> {
  await tx.query(sql`
    update customers set email_at_partner_since = ${isAtPartner ? now : null},
                         email_of_another_since = ${isOfAnother ? now : null}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** The tenant who is to take over this customer's share and has not accepted yet; undefined if there is none. */
export async function findOpenReplacement(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Id<'tenant'> | undefined> {
  const [row] = await tx.query<{ customerId: Id<'tenant'> }>(sql`
    select customer_id as "customerId" from customers
     where partner_id = ${partnerId} and replaces_customer_id = ${customerId}
       and terms_accepted_at is null and removed_at is null`)
  return row?.customerId
}

/** Whether the tenant can lead a household: their personal data was not erased, and their death is not confirmed. */
export const mayLead = (tenant: Sql): Sql => sql`(${tenant}.erased_at is null and ${tenant}.cannot_lead_since is null)`

/** The order in which the first of those still on a quote is the lead tenant (`leadTenantId`), or leads no more. */
export const leadFirst = (tenant: Sql): Sql =>
  sql`${tenant}.agreed_to_lead_at is null or not ${mayLead(tenant)}, ${tenant}.joining_number`

/** Records that the tenant leads the household from now on. The caller holds the quote's row lock. */
export async function recordAgreementToLead(
  tx: Tx,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  customerId: Id<'tenant'>,
): Promise<void> {
  await tx.query(sql`
    update customers set agreed_to_lead_at = ${now}, updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is null and removed_at is null`)
}

/** Records that the tenant leads no household any more. The caller holds the quote's row lock. */
export async function recordCannotLead(
  tx: Tx,
  { partnerId, customerId }: Pick<Customer, 'partnerId' | 'customerId'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update customers set cannot_lead_since = ${now} where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** Whether the tenant has ever proved to read the e-mails to their address. With `lock`, locks the row. */
export async function hasConfirmedEmail(
  db: Queryable,
  { partnerId, customerId }: Pick<Customer, 'partnerId' | 'customerId'>,
  { lock = false } = {},
): Promise<boolean> {
  const [row] = await db.query<{ isConfirmed: boolean }>(sql`
    select email_confirmed_at is not null as "isConfirmed" from customers
     where partner_id = ${partnerId} and customer_id = ${customerId} ${lock ? sql`for update` : empty}`)
  return row?.isConfirmed === true
}

/** What is stored instead of the hash while nobody knows the tenant's address: like no other tenant's. */
const noEmailHash = (customerId: string) => `none:${customerId}`

function ownHash(cipher: FieldCipher, customerId: string, email: string): string {
  return email === '' ? noEmailHash(customerId) : emailHash(cipher, email)
}

/**
 * The columns by which a person is found. Another email address ends what was doubtful about the one before, and the
 * links, the sessions and the marks of browsers of the tenant's pages; the first one does not.
 */
function hashes(
  cipher: FieldCipher,
  { customerId, personal }: Pick<Customer, 'customerId' | 'personal'>,
  now: Date,
): Sql {
  const { email, phone } = personal
  const isSame = sql`email_hash = any(${[...emailHashes(cipher, email), noEmailHash(customerId)]}::text[])`
  return sql`email_hash = ${ownHash(cipher, customerId, email)}, phone_hash = ${phoneHash(cipher, phone)},
    onboarding_revision = onboarding_revision + case when ${isSame} then 0 else 2 end,
    devices_revision = devices_revision + case when ${isSame} then 0 else 1 end,
    email_changed_at = case when ${isSame} then email_changed_at else ${now} end,
    email_at_partner_since = case when ${isSame} then email_at_partner_since end,
    email_of_another_since = case when ${isSame} then email_of_another_since end`
}

/** The columns of the Priority Services Register details, each followed by a comma; none if `psr` is undefined. */
function psrColumns(cipher: FieldCipher, customerId: string, psr: PsrDetails | null | undefined, now: Date): Sql {
  if (psr === undefined) return empty
  return sql`psr_encrypted = ${psr === null ? null : encryptPsr(cipher, psr, customerId)},
    psr_review_on = ${psrReviewOn(psr, londonDate(now))}, psr_given_at = ${psr?.hasPsr === true ? now : null},`
}

/**
 * Replaces the personal information but, if `psr` is undefined, not the Priority Services Register details. Violates
 * `one_tenant_per_email` if another tenant has the email address.
 */
export async function updatePersonalInformation(
  tx: Tx,
  cipher: FieldCipher,
  customer: Pick<Customer, 'customerId' | 'partnerId' | 'personal' | 'earlySupplyRequested'> & {
    psr: PsrDetails | null | undefined
  },
  now: Date,
): Promise<void> {
  const { customerId, partnerId, personal, psr, earlySupplyRequested } = customer
  await tx.query(sql`
    update customers set status = 'PersonalInfoComplete',
      personal_encrypted = ${encryptJson(cipher, personal, personalColumn, customerId)},
           ${hashes(cipher, customer, now)},
           ${psrColumns(cipher, customerId, psr, now)}
           supply_during_cancellation = ${earlySupplyRequested}, personal_information_at = ${now},
           updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/**
 * Changes personal details and, unless `psr` is undefined, the Priority Services Register details. Violates
 * `one_tenant_per_email` if another tenant has the email address.
 */
export async function updatePersonalDetails(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  customer: Pick<Customer, 'customerId' | 'partnerId' | 'personal'> & { psr: PsrDetails | undefined },
  now: Date,
): Promise<void> {
  const { customerId, partnerId, personal, psr } = customer
  await tx.query(sql`
    update customers set personal_encrypted = ${encryptJson(cipher, personal, personalColumn, customerId)},
           ${hashes(cipher, customer, now)}, ${psrColumns(cipher, customerId, psr, now)} updated_at = ${now}
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
 * Records the time of a collection, or of a new card, as given by the processor. Returns false if a later collection is
 * already recorded, in which case this one must be ignored.
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

/** Records that the customer has agreed to a contract. */
export async function recordAcceptance(
  tx: Tx,
  { partnerId, customerId }: Pick<Customer, 'customerId' | 'partnerId'>,
  { at, contractNumber }: { at: Date; contractNumber: string },
): Promise<void> {
  await tx.query(sql`
    update customers set status = ${'OnboardingComplete' satisfies CustomerStatus}, terms_accepted_at = ${at},
           contract_number = ${contractNumber}, updated_at = ${at}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** Moves customers whose contract came to nothing back to `PersonalInfoComplete`. */
export async function clearAcceptance(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update customers set status = ${'PersonalInfoComplete' satisfies CustomerStatus}, terms_accepted_at = null,
      updated_at = ${now}
     where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])`)
}

function encryptJson(cipher: FieldCipher, value: unknown, column: string, row: string): string {
  return cipher.encrypt(JSON.stringify(value), { column, row })
}

function decryptJson<Value>(cipher: FieldCipher, value: string, column: string, row: string): Value {
  return JSON.parse(cipher.decrypt(value, { column, row }).toString('utf8')) as Value
}

/** Whose links are opened, and which of them still work. */
export interface LinkOwner {
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
  /** How often the customer's links were revoked. */
  revision: number
  /** With which number links to the tenant's pages work. */
  onboardingRevision: number
  /** With which number the marks of browsers work. */
  devicesRevision: number
  partnerName: string
  /** Whether the partner is suspended or disabled. */
  isPartnerStopped: boolean
}

/**
 * Finds the customer's partner and that partner's clock offset. Links need this, because they name only the customer.
 */
export async function findPartnerOfCustomer(db: Queryable, customerId: Id<'tenant'>): Promise<LinkOwner | undefined> {
  const [row] = await db.query<LinkOwner>(sql`
    select partner_id as "partnerId", p.clock_offset_seconds::float8 as "clockOffsetSeconds",
           c.links_revision as revision, c.onboarding_revision as "onboardingRevision",
           c.devices_revision as "devicesRevision", coalesce(p.sender_name, p.name) as "partnerName",
           coalesce(p.suspended_at, p.disabled_at) is not null as "isPartnerStopped"
      from customers c join partners p using (partner_id) where c.customer_id = ${customerId}`)
  return row
}

/** Sets the day of the next review; see `psrReviewOn`. */
export async function updatePsrReview(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  reviewOn: IsoDate | 'infinity' | '-infinity' | null,
): Promise<void> {
  await tx.query(sql`
    update customers set psr_review_on = ${reviewOn} where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** Sets whether the customer is reminded to sign, unless `isOn` is undefined. Returns whether they are not. */
export async function setReminders(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  isOn: boolean | undefined,
): Promise<boolean> {
  const [row] = await db.query<{ isOff: boolean }>(
    isOn === undefined
      ? sql`select reminders_off as "isOff" from customers where partner_id = ${partnerId} and customer_id = ${customerId}`
      : sql`update customers set reminders_off = ${!isOn} where partner_id = ${partnerId} and customer_id = ${customerId}
            returning reminders_off as "isOff"`,
  )
  return row?.isOff === true
}
