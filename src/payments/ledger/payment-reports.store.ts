import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import type { PaymentNotice } from '../payment-processor.ts'

/** An attempt, a refund or a dispute, as the processor reported it. */
export interface PaymentReport {
  reportId: string
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  outcome: PaymentNotice['outcome'] | 'withdrawn'
  paymentId: string
  subjectId: string | null
  amount: Pence | null
  occurredAt: Date
}

/**
 * Whether the report is to be stored: it is new, and its customer has not been erased. For a customer who was erased
 * during a contract, the payments are kept, so their reversals are stored too. The caller holds the quote's row lock,
 * for which an erasure may have been quicker than the report.
 */
export async function isPaymentToRecord(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  { reportId, kind }: PaymentNotice,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from customers
     where partner_id = ${partnerId} and customer_id = ${customerId}
       and (erased_at is null or (retained_until is not null and ${kind === 'reversal'}))
       and not exists (select from payment_reports where partner_id = ${partnerId} and report_id = ${reportId})`)
  return rows.length > 0
}

/** A report of the operator that another one was wrong, and why. */
export interface Correction {
  corrects: string
  reason: string
}

export async function insertPaymentReport(
  tx: Tx,
  report: PaymentReport & {
    entryId: Id<'entry'> | undefined
    namedEntryId?: string | null
    unknownStatus?: string | undefined
  },
  correction?: Correction,
): Promise<void> {
  await tx.query(sql`
    insert into payment_reports (report_id, partner_id, customer_id, entry_id, outcome, payment_id, subject_id,
                                 amount_pence, occurred_at,
                                 corrects, reason, named_entry_id, unknown_status)
    values (${report.reportId}, ${report.partnerId}, ${report.customerId}, ${report.entryId ?? null}, ${report.outcome},
            ${report.paymentId}, ${report.subjectId}, ${report.amount}, ${report.occurredAt},
            ${correction?.corrects ?? null},
            ${correction?.reason ?? null}, ${report.namedEntryId ?? null}, ${report.unknownStatus ?? null})`)
}

/** How many payments were collected from the customer. */
export async function countCollectedPayments(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(distinct payment_id)::int as count from payment_reports
     where partner_id = ${partnerId} and customer_id = ${customerId} and outcome = 'paid'`)
  return row?.count ?? 0
}

/** The customer's latest payment that was collected and neither refunded nor disputed. */
export async function findReversiblePayment(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<string | undefined> {
  const [row] = await db.query<{ paymentId: string }>(sql`
    select payment_id as "paymentId" from payment_reports
     where partner_id = ${partnerId} and customer_id = ${customerId}
     group by payment_id having bool_or(outcome = 'paid') and not bool_or(outcome in ('refunded', 'disputed'))
     order by max(occurred_at) desc limit 1`)
  return row?.paymentId
}

/**
 * The owner of a payment that was reported before. Needed because notices of refunds and disputes name only the
 * payment.
 */
export async function findPaymentOwner(
  db: Queryable,
  paymentId: string,
): Promise<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> } | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> }>(sql`
    select r.partner_id as "partnerId", c.quote_id as "quoteId", r.customer_id as "customerId"
      from payment_reports r join customers c using (partner_id, customer_id)
     where r.payment_id = ${paymentId} limit 1`)
  return row
}

/**
 * Whether money that belongs to no entry yet may be for this one, so that the entry is not collected until somebody has
 * looked: a payment of its customer, or one that names it.
 */
export const isBeingChecked = sql`exists (
  select from payment_reports open
   where open.partner_id = e.partner_id and open.entry_id is null and open.settlement is null and open.outcome = 'paid'
     and (open.customer_id = e.customer_id or open.named_entry_id = e.entry_id))`
