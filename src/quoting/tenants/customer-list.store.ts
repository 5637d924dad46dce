import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import { emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { phoneHashes } from '../../platform/kernel/phone.ts'
import { afterLock, hasLapsed, type Quote, statusWithoutContract } from '../quotes/quote.ts'
import { referenceHashes } from '../quotes/reference.ts'
import type { Customer, EmailFate, NextStep } from './customer.ts'
import { decryptPersonal } from './customers.store.ts'

/** A customer as lists show them. */
export type CustomerSummary = Pick<
  Customer,
  'customerId' | 'quoteId' | 'status' | 'personal' | 'paymentStatus' | 'removedAt'
> & {
  /** What became of the latest e-mail to them that was not given up as needless; null if there was none. */
  lastEmail: EmailFate | null
}

/** Which customers are listed: everything that is given must match. */
export interface CustomerFilter {
  quoteId?: string | undefined
  email?: string | undefined
  /** In E.164 format. */
  phone?: string | undefined
  /** The partner's own reference of the quote. */
  reference?: string | undefined
  /** The branch that sells the quote. */
  branch?: string | undefined
  /** Who sold the quote. */
  soldBy?: string | undefined
  postCode?: string | undefined
  /** What they have to do next on a quote that is not cancelled. */
  waitingFor?: NextStep | undefined
  /** The time on the partner's clock. When the lock of a quote has ended by then, nobody has accepted. */
  now: Date
  /** The cursor. Only customers with lower ids, who were added earlier, are listed. */
  beforeCustomerId?: Id<'tenant'> | undefined
  limit: number
}

interface SummaryRow extends Omit<CustomerSummary, 'personal'>, Pick<Quote, 'stage' | 'lockedUntil'> {
  personalEncrypted: string
}

/** What became of the latest e-mail to a customer `c`; null if there was none. */
export const lastEmail = sql`
  (select m.outcome from tenant_mails m
    where m.customer_id = c.customer_id and m.partner_id = c.partner_id and m.outcome <> 'obsolete'
    order by m.ended_at desc, m.mail_id desc limit 1) as "lastEmail"`

const summaryColumns = sql`
  c.customer_id as "customerId", c.quote_id as "quoteId", c.status, c.personal_encrypted as "personalEncrypted",
  c.payment_status as "paymentStatus", c.removed_at as "removedAt", q.stage, q.locked_until as "lockedUntil",
  ${lastEmail}`

/**
 * The partner's customers, the latest first, also those who were removed from their quote but are kept. Erased
 * customers are not found by what was personal. Customer ids sort by the time at which they were added.
 */
export async function listCustomers(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  {
    quoteId,
    email,
    phone,
    reference,
    branch,
    soldBy,
    postCode,
    waitingFor,
    now,
    beforeCustomerId,
    limit,
  }: CustomerFilter,
): Promise<CustomerSummary[]> {
  // Few customers match a search: it must not go through all of them in the order of the list.
  const isSearch = [quoteId, email, phone, reference, branch, soldBy, postCode].some((each) => each !== undefined)
  const rows = await db.query<SummaryRow>(sql`
    select ${summaryColumns}
      from customers c join quotes q on q.partner_id = c.partner_id and q.quote_id = c.quote_id
     where c.partner_id = ${partnerId} ${isSearch ? empty : sql`and c.created_at > '-infinity'`}
       ${quoteId === undefined ? empty : sql`and c.quote_id = ${quoteId}`}
       ${email === undefined ? empty : sql`and c.email_hash = any(${emailHashes(cipher, email)}::text[])`}
       ${phone === undefined ? empty : sql`and c.phone_hash = any(${phoneHashes(cipher, phone)}::text[]) and c.phone_hash > ''`}
       ${reference === undefined ? empty : sql`and q.reference_hash = any(${referenceHashes(cipher, partnerId, reference)}::text[])`}
       ${branch === undefined ? empty : sql`and q.branch = ${branch}`}
       ${soldBy === undefined ? empty : sql`and q.sold_by = ${soldBy}`}
       ${postCode === undefined ? empty : sql`and q.post_code = ${postCode}`}
       ${waitingFor === undefined ? empty : sql`and c.waits_for = ${waitingFor} and q.stage <> 'cancelled'`}
       ${beforeCustomerId === undefined ? empty : sql`and c.customer_id < ${beforeCustomerId}`}
     order by ${isSearch ? sql`c.customer_id || ''` : sql`c.customer_id`} desc
     limit ${limit}`)
  return rows.map((row) => readSummary(cipher, row, now))
}

/**
 * The customers on each of these quotes, in the order in which they joined, by the quote's id. Somebody who was removed
 * is on none.
 */
export async function listCustomersOfQuotes(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  quoteIds: readonly Id<'quote'>[],
): Promise<Map<Id<'quote'>, CustomerSummary[]>> {
  const rows = await db.query<SummaryRow>(sql`
    select ${summaryColumns}
      from customers c join quotes q on q.partner_id = c.partner_id and q.quote_id = c.quote_id
     where c.partner_id = ${partnerId} and c.quote_id = any(${[...quoteIds]}::text[]) and c.removed_at is null
     order by c.quote_id, c.joining_number`)
  const customers = rows.map((row) => readSummary(cipher, row, now))
  return Map.groupBy(customers, ({ quoteId }) => quoteId)
}

function readSummary(
  cipher: FieldCipher,
  { stage, lockedUntil, personalEncrypted, ...row }: SummaryRow,
  now: Date,
): CustomerSummary {
  return {
    ...row,
    ...(hasLapsed({ stage, lockedUntil }, now)
      ? { status: statusWithoutContract(row.status), paymentStatus: afterLock(row.paymentStatus) }
      : {}),
    personal: decryptPersonal(cipher, { customerId: row.customerId, personalEncrypted }),
  }
}
