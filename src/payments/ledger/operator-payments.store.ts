import { findOwner } from '../../partners/partners.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type PaymentErrorCode, readPaymentErrorCode } from '../payment-error.ts'
import type { LedgerStatus } from './ledger-status.ts'
import { failureColumn } from './payment-entries.store.ts'
import type { PaymentEntry } from './payment-entry.ts'
import { isBeingChecked, type PaymentReport } from './payment-reports.store.ts'

/**
 * Why a payment that is owed is not collected at present. `being_checked`: money was received that belongs to no
 * payment yet, and may be for this one.
 * `card_missing`: the processor no longer has the customer's card, so the tenant must give one.
 */
export const holdReasons = ['being_checked', 'card_missing'] as const
export type HoldReason = (typeof holdReasons)[number]

/** Why the operator gave a payment up. */
export interface Waiver {
  reason: string
  comment: string | null
}

/** An entry of the ledger with everything that the operator needs to collect it. Amounts are in pence. */
export interface OperatorPayment
  extends Omit<PaymentEntry, 'status' | 'amount' | 'collectedAmount' | 'refundedAmount'> {
  partnerId: Id<'partner'>
  partnerName: string
  /** Payments go on whatever it is. */
  partnerStatus: 'active' | 'suspended' | 'disabled'
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
  status: LedgerStatus
  amount: number
  collectedAmount: number | null
  refundedAmount: number
  /** What is owed again and waits to be put back on the plan. */
  owedAgain: number
  /** The payment that a refund is for; null for one of a settlement, and for a payment. */
  refundOf: Id<'entry'> | null
  /** Why the operator ordered a refund; null for any other. */
  orderReason: string | null
  /** The VAT in a price reduction; null for anything else. */
  vat: number | null
  /** For a refund: whether no card takes what is open of it, and the processor has answered for what cards took. */
  isPaidByBank: boolean
  /** The entry of which this one collects what is owed again. */
  againFor: Id<'entry'> | null
  /** The processor's id of the last attempt, or the operator's; null before the first. */
  paymentId: string | null
  /** Null for an erased customer. */
  processorCustomerId: string | null
  /** Why it is not collected at present; null if nothing keeps it from being collected. */
  onHold: HoldReason | null
  /** Why the last attempt to collect it failed; null unless it is `failed`. */
  failureReason: PaymentErrorCode | null
  /** Why it was given up; null if it was not, or nobody said why. */
  waiver: Waiver | null
  /** How often it was tried. */
  attempts: number
  /** The day from which Housebill tries a payment again that failed; null if it does not. */
  nextAttemptOn: IsoDate | null
}

/** An `OperatorPayment` as `operatorPaymentColumns` select it. */
export type PaymentRow = Omit<OperatorPayment, 'failureReason' | 'waiver'> & {
  failureEncrypted: string | null
  waiverEncrypted: string | null
}

const waiverColumn = 'payment_entries.waiver'

export function decryptPayment(
  cipher: FieldCipher,
  { failureEncrypted, waiverEncrypted, ...payment }: PaymentRow,
): OperatorPayment {
  const failureReason =
    failureEncrypted === null
      ? null
      : readPaymentErrorCode(
          cipher.decrypt(failureEncrypted, { column: failureColumn, row: payment.entryId }).toString(),
        )
  const at = { column: waiverColumn, row: payment.entryId }
  const waiver = waiverEncrypted === null ? null : (JSON.parse(`${cipher.decrypt(waiverEncrypted, at)}`) as Waiver)
  return { ...payment, failureReason, waiver }
}

/** The columns of a `PaymentRow`, of an entry `e`, its partner `p` and its customer `c`. */
export const operatorPaymentColumns = sql`
  e.entry_id as "entryId", e.partner_id as "partnerId", p.name as "partnerName",
  case when p.disabled_at is not null then 'disabled' when p.suspended_at is not null then 'suspended' else 'active'
  end as "partnerStatus", c.quote_id as "quoteId", e.customer_id as "customerId",
  e.contract_number as "contractNumber", e.kind, e.due_on::text as date, e.amount_pence::float8 as amount,
  e.period_start::text as "periodStart",
  e.period_end::text as "periodEnd", e.description, e.status, e.payment_id as "paymentId",
  e.collected_at as "collectedAt",
  e.collected_pence::float8 as "collectedAmount", e.refunded_pence::float8 as "refundedAmount",
  e.refund_kind as "refundKind", e.refund_of as "refundOf", e.order_reason as "orderReason", e.vat_pence::float8 as vat,
  e.owed_again_pence::float8 as "owedAgain", e.again_for as "againFor", 
  e.pay_by_bank and not exists (select from refund_orders o
                                 where o.partner_id = e.partner_id and o.refund_entry_id = e.entry_id
                                   and o.status = 'asked') as "isPaidByBank",
  c.processor_customer_id as "processorCustomerId",
  case when e.kind <> 'refund' then (select count(*)::int from payment_reports r
         where r.partner_id = e.partner_id and r.entry_id = e.entry_id and r.outcome in ('paid', 'failed')
           and r.corrects is null) else 0 end as attempts,
  case when e.status = 'failed' then e.failure_encrypted end as "failureEncrypted",
  case when e.status = 'waived' then e.waiver_encrypted end as "waiverEncrypted",
  case when e.status = 'failed' then e.retry_on::text end as "nextAttemptOn",
  case when e.kind = 'refund' or e.status not in ('planned', 'submitted', 'failed') then null
       when ${isBeingChecked} then 'being_checked'
       when (select s.card_missing from setup_intents s
              where s.partner_id = e.partner_id and s.customer_id = e.customer_id and s.status = 'succeeded'
              order by s.created_at desc limit 1) then 'card_missing' end as "onHold"`

/** One payment of the partner; undefined for an unknown id. */
export async function findOperatorPayment(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<OperatorPayment | undefined> {
  const [row] = await db.query<PaymentRow>(sql`
    select ${operatorPaymentColumns} from payment_entries e
      join partners p on p.partner_id = e.partner_id
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId}`)
  return row === undefined ? undefined : decryptPayment(cipher, row)
}

/** The payment that was last put on the plan for what is owed again of another. */
export async function findPutBack(tx: Tx, partnerId: Id<'partner'>, entryId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ addedId: string }>(sql`
    select entry_id as "addedId" from payment_entries
     where partner_id = ${partnerId} and again_for = ${entryId} order by created_at desc, entry_id desc limit 1`)
  return row?.addedId
}

/** The refund of a payment that the operator ordered last. */
export async function findOrderedRefund(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ refundId: string }>(sql`
    select entry_id as "refundId" from payment_entries
     where partner_id = ${partnerId} and refund_of = ${entryId} and order_reason is not null
     order by created_at desc, entry_id desc limit 1`)
  return row?.refundId
}

/** What is left of a payment, less what is still to be paid back of it, in pence. */
export async function findRefundable(tx: Tx, partnerId: Id<'partner'>, entryId: string): Promise<number> {
  const [row] = await tx.query<{ left: number }>(sql`
    select greatest(0, coalesce(collected_pence, 0) - refunded_pence - disputed_pence
             - (select coalesce(sum(r.amount_pence - coalesce(r.collected_pence, 0)), 0) from payment_entries r
                 where r.partner_id = e.partner_id and r.refund_of = e.entry_id
                   and r.status in ('planned', 'submitted', 'failed')))::float8 as left
      from payment_entries e
     where partner_id = ${partnerId} and entry_id = ${entryId} and kind <> 'refund'`)
  return row?.left ?? 0
}

/**
 * Takes an amount off the planned payments of a contract's price, the next one first. Returns how much could be taken:
 * the caller undoes it if that is too little.
 */
export async function setOffAgainst(
  tx: Tx,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
  amount: number,
): Promise<number> {
  const [row] = await tx.query<{ taken: number }>(sql`
    with planned as (
      select entry_id, amount_pence,
             least(amount_pence, greatest(0, ${amount} - (sum(amount_pence) over (order by due_on, entry_id)
                                                          - amount_pence))) as part
        from payment_entries
       where partner_id = ${partnerId} and contract_number = ${contractNumber} and status = 'planned'
         and kind in ('plan', 'final', 'exit_fee') and again_for is null),
    lessened as (
      update payment_entries e
         set amount_pence = case when p.part = e.amount_pence then e.amount_pence else e.amount_pence - p.part end,
             status = case when p.part = e.amount_pence then 'cancelled' else e.status end,
             description = e.description || ', less compensation'
        from planned p
       where e.partner_id = ${partnerId} and e.entry_id = p.entry_id and p.part > 0 returning p.part)
    select coalesce(sum(part), 0)::float8 as taken from lessened`)
  return row?.taken ?? 0
}

/** Records that an entry was submitted, failed or was given up. What was collected of it stays. */
export async function updateEntryStatus(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: string,
  { status, paymentId }: { status: LedgerStatus; paymentId: string | null },
): Promise<void> {
  await tx.query(sql`
    update payment_entries set status = ${status}, payment_id = coalesce(${paymentId}, payment_id)
     where partner_id = ${partnerId} and entry_id = ${entryId}`)
}

/** Notes why the operator gave a payment up. */
export async function recordWaiver(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, entryId }: Pick<OperatorPayment, 'partnerId' | 'entryId'>,
  waiver: Waiver,
): Promise<void> {
  const encrypted = cipher.encrypt(JSON.stringify(waiver), { column: waiverColumn, row: entryId })
  await tx.query(sql`
    update payment_entries set waiver_encrypted = ${encrypted}
     where partner_id = ${partnerId} and entry_id = ${entryId}`)
}

/** A report about a payment, as the operator sees it. */
export interface ListedReport {
  reportId: string
  outcome: PaymentReport['outcome']
  paymentId: string
  amount: number | null
  occurredAt: Date
  recordedAt: Date
  /** The refund or the dispute that it is about. */
  subjectId: string | null
  corrects: string | null
  reason: string | null
  /** The report that corrects this one; null if none does. */
  correctedBy: string | null
}

/** Every report about an entry, in the order in which they were recorded. */
export function listReportsOfEntry(db: Queryable, partnerId: Id<'partner'>, entryId: string): Promise<ListedReport[]> {
  return db.query<ListedReport>(sql`
    select r.report_id as "reportId", r.outcome, r.payment_id as "paymentId", r.amount_pence::float8 as amount,
           r.occurred_at as "occurredAt",
           r.recorded_at as "recordedAt", r.subject_id as "subjectId", r.corrects, r.reason,
           c.report_id as "correctedBy"
      from payment_reports r
      left join payment_reports c on c.partner_id = r.partner_id and c.corrects = r.report_id
     where r.partner_id = ${partnerId} and r.entry_id = ${entryId}
     order by r.recorded_at, r.report_id`)
}

/** Money that moved at the processor and belongs to no entry, or exceeds what could be paid back. */
export interface UnmatchedPayment {
  reportId: string
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  outcome: 'paid' | 'refunded' | 'disputed'
  /** The entry of a refund that exceeds what could be paid back; null for what belongs to no entry. */
  entryId: Id<'entry'> | null
  /** By how much it exceeds that, in pence; 0 for what belongs to no entry. */
  exceeds: number
  paymentId: string
  amount: number | null
  occurredAt: Date
  recordedAt: Date
}

const unmatched = sql`
  select r.report_id as "reportId", r.partner_id as "partnerId", r.customer_id as "customerId", r.entry_id as "entryId",
         r.exceeds_pence::float8 as exceeds, r.outcome, r.payment_id as "paymentId", r.amount_pence::float8 as amount,
         r.occurred_at as "occurredAt", r.recorded_at as "recordedAt"
    from payment_reports r`
/** Whether a report `r` is about money that belongs to nothing and was not settled. */
export const isUnmatched = sql`r.settlement is null and r.outcome in ('paid', 'refunded', 'disputed') and (r.entry_id is null or r.exceeds_pence > 0)`

/** Unmatched payments of all partners after the one with the id `after`, in the order in which they were recorded. */
export function listUnmatchedPayments(
  system: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UnmatchedPayment[]> {
  return system.query<UnmatchedPayment>(sql`
    ${unmatched}
     where ${isUnmatched}
       ${
         after === undefined
           ? empty
           : sql`and (r.recorded_at, r.report_id)
                     > (select recorded_at, report_id from payment_reports where report_id = ${after})`
       }
     order by r.recorded_at, r.report_id limit ${limit}`)
}

/** One unmatched payment of the partner; undefined if there is none with this id, or it has been settled. */
export async function findUnmatchedPayment(
  db: Queryable,
  partnerId: Id<'partner'>,
  reportId: string,
): Promise<UnmatchedPayment | undefined> {
  const [row] = await db.query<UnmatchedPayment>(sql`
    ${unmatched} where r.partner_id = ${partnerId} and r.report_id = ${reportId} and ${isUnmatched}`)
  return row
}

/** Says which entry a payment was for, and with it everything that became of that payment. */
export async function matchReports(
  tx: Tx,
  { partnerId, paymentId }: { partnerId: Id<'partner'>; paymentId: string },
  entryId: string,
): Promise<void> {
  await tx.query(sql`
    update payment_reports set entry_id = ${entryId}
     where partner_id = ${partnerId} and payment_id = ${paymentId} and entry_id is null and settlement is null
       and outcome <> 'failed'`)
}

/** Says how a report was settled by which no entry changes. */
export async function settleReport(
  tx: Tx,
  { partnerId, reportId }: { partnerId: Id<'partner'>; reportId: string },
  settlement: string,
): Promise<void> {
  await tx.query(sql`
    update payment_reports set settlement = ${settlement} where partner_id = ${partnerId} and report_id = ${reportId}`)
}

/** The partner to which an entry belongs, and how far its sandbox clock is ahead; undefined for an unknown id. */
export async function findOwnerOfEntry(
  system: Queryable,
  entryId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select e.partner_id from payment_entries e where e.entry_id = ${entryId}`)
}

/** The partner to whose customer an unmatched payment belongs; undefined if there is none with this id. */
export async function findOwnerOfReport(
  system: Queryable,
  reportId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select r.partner_id from payment_reports r where r.report_id = ${reportId} limit 1`)
}
