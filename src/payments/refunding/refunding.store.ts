import { latestDay, partnersDay } from '../../partners/partners.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { isHeldForDeath } from '../collecting/holds.store.ts'
import type { RefundablePayment } from './distribute-refund.ts'

/** A refund of any partner that is open. Amounts are in pence. */
export interface OpenRefund {
  entryId: Id<'entry'>
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
  dueOn: IsoDate
  /** What is still to be paid back or, while the processor has not answered, what it was asked for. */
  open: number
  /** How much of that the job's limit of the day counts already. */
  counted: number
  clockOffsetSeconds: number
}

/**
 * Refunds of all partners that a card may still take or for which the processor has not answered, after a position, by
 * the day until which they must be paid back. Leaves out those that were planned before `from`, those that somebody else
 * submitted, and those to somebody who is said to have died.
 */
export function listOpenRefunds(
  system: Queryable,
  { from, now, after, limit }: { from: IsoDate; now: Date; after: OpenRefund | undefined; limit: number },
): Promise<OpenRefund[]> {
  return system.query<OpenRefund>(sql`
    select e.entry_id as "entryId", e.partner_id as "partnerId", c.quote_id as "quoteId", e.customer_id as "customerId",
           e.due_on::text as "dueOn",
           coalesce(asked.pence, e.amount_pence - coalesce(e.collected_pence, 0))::float8 as open,
           coalesce(asked.counted, 0)::float8 as counted,
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from payment_entries e
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
      join partners p on p.partner_id = e.partner_id
      cross join lateral (select sum(o.amount_pence) as pence,
                                 sum(o.amount_pence) filter (where ${isCountedOn(now)}) as counted
                            from refund_orders o
                           where o.partner_id = e.partner_id and o.refund_entry_id = e.entry_id
                             and o.status = 'asked') asked
     where e.kind = 'refund' and e.status in ('planned', 'failed') and e.due_on > '-infinity'
       and (asked.pence is not null or not e.pay_by_bank and not ${isHeldForDeath})
       and (e.created_at at time zone 'Europe/London')::date >= ${from}::date
       ${after === undefined ? empty : sql`and (e.due_on, e.entry_id) > (${after.dueOn}::date, ${after.entryId})`}
     order by e.due_on, e.entry_id limit ${limit}`)
}

/** How much the job asked the processor to pay back on the present day in London, in pence, whatever came of it. */
export async function sumRefundedByJob(system: Queryable, now: Date): Promise<number> {
  const [row] = await system.query<{ asked: number }>(sql`
    select coalesce(sum(o.amount_pence), 0)::float8 as asked from refund_orders o
     join partners p on p.partner_id = o.partner_id
     where ${isCountedOn(now)}`)
  return row?.asked ?? 0
}

/** Whether the job's limit counts an order `o` on the present day in London. */
function isCountedOn(now: Date): Sql {
  return sql`o.by_job and o.asked_at >= date_trunc('day', ${now}::timestamptz at time zone 'Europe/London')
                                          at time zone 'Europe/London'`
}

/** Something that the processor is asked to pay back. */
export interface RefundOrder {
  orderId: Id<'refund'>
  paymentId: string
  amount: number
  askedAt: Date
}

/** The orders of a refund that have no result yet. */
export function listOpenOrders(tx: Tx, partnerId: Id<'partner'>, refundEntryId: string): Promise<RefundOrder[]> {
  return tx.query<RefundOrder>(sql`
    select order_id as "orderId", payment_id as "paymentId", amount_pence::float8 as amount, asked_at as "askedAt"
     from refund_orders
     where partner_id = ${partnerId} and refund_entry_id = ${refundEntryId} and status = 'asked' order by order_id`)
}

/**
 * The payments of a refund's contract whose cards can take something back, newest first. Leaves out what was not
 * collected by the processor, payments whose card rejected a refund, and those of somebody who is said to have died. The payment that the refund is for comes
 * first; a refund of a fee goes back to that fee only, and no other to a fee.
 */
export function listRefundablePayments(
  tx: Tx,
  partnerId: Id<'partner'>,
  { contractNumber, refundOf }: { contractNumber: string; refundOf: string | null },
): Promise<RefundablePayment[]> {
  return tx.query<RefundablePayment>(sql`
    select e.entry_id as "entryId", paid.payment_id as "paymentId",
           (e.collected_pence - e.refunded_pence - e.disputed_pence - asked.pence)::float8 as left
      from payment_entries e
      cross join lateral (select payment_id from payment_reports r
                           where r.partner_id = e.partner_id and r.entry_id = e.entry_id and r.outcome = 'paid'
                             and r.report_id not like 'operator:%'
                           order by r.recorded_at desc limit 1) paid
      cross join lateral (select coalesce(sum(o.amount_pence) filter (where o.status = 'asked'), 0) as pence,
                                 coalesce(bool_or(o.status = 'rejected'), false) as rejected
                            from refund_orders o where o.partner_id = e.partner_id and o.entry_id = e.entry_id) asked
     where e.partner_id = ${partnerId} and e.contract_number = ${contractNumber}
       and case when exists (select from payment_entries f where f.partner_id = e.partner_id
                               and f.entry_id = ${refundOf} and f.kind = 'fee')
                then e.entry_id = ${refundOf} else e.kind not in ('refund', 'fee') end
       and not asked.rejected and not ${isHeldForDeath}
       and e.collected_pence - e.refunded_pence - e.disputed_pence - asked.pence > 0
     order by e.entry_id is not distinct from ${refundOf} desc, e.collected_at desc, e.entry_id desc`)
}

/** Whether a dispute of one of the contract's payments is not decided. */
export async function hasOpenDispute(
  tx: Tx,
  partnerId: Id<'partner'>,
  contractNumber: string | null,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from payment_entries
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and contested_pence > 0 limit 1`)
  return rows.length > 0
}

export async function insertRefundOrder(
  tx: Tx,
  partnerId: Id<'partner'>,
  order: RefundOrder & { customerId: string; refundEntryId: string; entryId: string; byJob: boolean },
): Promise<void> {
  await tx.query(sql`
    insert into refund_orders (partner_id, order_id, customer_id, refund_entry_id, entry_id, payment_id, amount_pence,
                               by_job, asked_at)
    values (${partnerId}, ${order.orderId}, ${order.customerId}, ${order.refundEntryId}, ${order.entryId},
            ${order.paymentId}, ${order.amount}, ${order.byJob},
            ${order.askedAt})`)
}

/** Records the processor's result to an order. */
export async function recordOrderOutcome(
  tx: Tx,
  partnerId: Id<'partner'>,
  orderId: string,
  result: { status: 'accepted'; refundId: string } | { status: 'rejected'; reason: string },
): Promise<void> {
  const { status, refundId, reason } = { refundId: null, reason: null, ...result }
  await tx.query(sql`
    update refund_orders set status = ${status}, refund_id = ${refundId}, reason = ${reason}
     where partner_id = ${partnerId} and order_id = ${orderId} and status = 'asked'`)
}

/** Says that what is open of a refund is to be paid by bank. */
export async function markPayByBank(tx: Tx, partnerId: Id<'partner'>, refundEntryId: string): Promise<void> {
  await tx.query(sql`
    update payment_entries set pay_by_bank = true where partner_id = ${partnerId} and entry_id = ${refundEntryId}`)
}

/** Records that a refund which the processor had accepted failed later: the rest is then to be paid by bank. */
export async function markOrderFailed(tx: Tx, partnerId: Id<'partner'>, refundId: string): Promise<void> {
  const [order] = await tx.query<{ refundEntryId: string }>(sql`
    update refund_orders set status = 'rejected', reason = 'it failed later'
     where partner_id = ${partnerId} and refund_id = ${refundId} returning refund_entry_id as "refundEntryId"`)
  if (order !== undefined) await markPayByBank(tx, partnerId, order.refundEntryId)
}

/** How many open refunds must be paid back within three days, and how many should have been. */
export interface RefundsDue {
  overdue: number
  soon: number
}

/**
 * How many refunds are open whose last day has passed, and how many whose last day is one of the next three, on their
 * partners' clocks.
 */
export async function countRefundsDue(system: Queryable, now: Date): Promise<RefundsDue> {
  const [row] = await system.query<RefundsDue>(sql`
    select count(*) filter (where due_on < today)::int as overdue, count(*) filter (where due_on >= today)::int as soon
      from (select e.due_on, ${partnersDay(now)} as today
              from payment_entries e join partners p on p.partner_id = e.partner_id
             where e.kind = 'refund' and e.status in ('planned', 'submitted', 'failed') and e.due_on > '-infinity'
               and e.due_on <= ${latestDay(now)} + 3) r
     where due_on <= today + 3`)
  return row ?? { overdue: 0, soon: 0 }
}
