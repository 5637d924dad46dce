import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import type { PaymentErrorCode } from '../payment-error.ts'
import type { PaymentEntry, RefundKind } from './payment-entry.ts'

/** Whose entries: `partnerId` and `customerId` of a customer. */
interface Payer {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
}

export type NewPaymentEntry = Pick<
  PaymentEntry,
  'contractNumber' | 'kind' | 'date' | 'amount' | 'periodStart' | 'periodEnd' | 'description'
> & {
  /** For a refund: what was paid back of the contract before without an order. */
  paidBackBefore?: number
  /** The entry of which this one collects what is owed again. */
  againFor?: string
  /** The first entry that failed of those whose debt this one collects. */
  continues?: string | null
  /** What a refund is, and the payment that it is for; null for one of a settlement. */
  refundKind?: RefundKind
  refundOf?: string | null
  /** Why the operator ordered a refund. */
  orderReason?: string
  /** Whether a compensation was set off. */
  isSetOff?: boolean
  /** The VAT in a price reduction. */
  vat?: Pence | null
}

/** Adds entries. A description must not contain personal data, because it is stored as it is. */
export async function insertPaymentEntries(
  tx: Tx,
  { partnerId, customerId }: Payer,
  entries: readonly NewPaymentEntry[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence,
                                 period_start, period_end,
                                 description, created_at, paid_back_before, again_for, continues, refund_kind, refund_of,
                                 order_reason, set_off, vat_pence)
    select id, ${partnerId}, ${customerId}, contract, kind, due_on, amount, period_start, period_end, description,
           ${now}, before, again_for, continues, refund_kind, refund_of, reason, set_off, vat
      from unnest(${entries.map(() => newId('entry'))}::text[],
                  ${entries.map(({ contractNumber }) => contractNumber)}::text[],
                  ${entries.map(({ kind }) => kind)}::text[], ${entries.map(({ date }) => date)}::date[],
                  ${entries.map(({ amount }) => amount)}::bigint[],
                  ${entries.map(({ periodStart }) => periodStart)}::date[],
                  ${entries.map(({ periodEnd }) => periodEnd)}::date[],
                  ${entries.map(({ description }) => description)}::text[],
                  ${entries.map(({ paidBackBefore = 0 }) => paidBackBefore)}::bigint[],
                  ${entries.map(({ againFor = null }) => againFor)}::text[],
                  ${entries.map(({ continues = null }) => continues)}::text[],
                  ${entries.map(({ refundKind = null }) => refundKind)}::text[],
                  ${entries.map(({ refundOf = null }) => refundOf)}::text[],
                  ${entries.map(({ orderReason = null }) => orderReason)}::text[],
                  ${entries.map(({ isSetOff = false }) => isSetOff)}::boolean[],
                  ${entries.map(({ vat = null }) => vat)}::bigint[])
        as t (id, contract, kind, due_on, amount, period_start, period_end, description, before, again_for, continues,
              refund_kind, refund_of, reason, set_off, vat)`)
}

interface EntryRow extends Omit<PaymentEntry, 'amount' | 'collectedAmount' | 'refundedAmount'> {
  amount: number
  collectedAmount: number | null
  refundedAmount: number
}

/**
 * The customer's entries, by due date, without those that are no longer due and those that are put back on the plan as
 * another, and without compensation that was set off. One that was submitted still counts as planned.
 */
export async function listPaymentEntries(db: Queryable, { partnerId, customerId }: Payer): Promise<PaymentEntry[]> {
  const rows = await db.query<EntryRow>(sql`
    select entry_id as "entryId", contract_number as "contractNumber", kind, refund_kind as "refundKind",
           due_on::text as date, amount_pence::float8 as amount,
           period_start::text as "periodStart", period_end::text as "periodEnd", description, "positionInPlan",
           case status when 'submitted' then 'planned' else status end as status,
           case status when 'failed' then retry_on end::text as "retryOn",
           collected_at as "collectedAt", collected_pence::float8 as "collectedAmount",
           refunded_pence::float8 as "refundedAmount"
      from (select *, case when row_number() over plan = 1 then 'first' when row_number() over backwards = 1 then 'last'
            else 'between' end as "positionInPlan"
              from payment_entries where partner_id = ${partnerId} and customer_id = ${customerId}
                  and status <> 'cancelled' and not set_off
            window plan as (partition by contract_number, kind = 'refund', kind in ('fee', 'exit_fee')
                            order by due_on, entry_id),
                   backwards as (partition by contract_number, kind = 'refund', kind in ('fee', 'exit_fee')
                                 order by due_on desc, entry_id desc)) entries
     where status not in ('reopened', 'waived')
     order by due_on, entry_id`)
  return rows.map(({ amount, collectedAmount, refundedAmount, ...row }) => ({
    ...row,
    amount: pence(amount),
    collectedAmount: collectedAmount === null ? null : pence(collectedAmount),
    refundedAmount: pence(refundedAmount),
  }))
}

/**
 * The first payment that is planned for each of these contracts, by the contract's number, and whether it is the only
 * one.
 */
export async function listFirstPayments(
  db: Queryable,
  partnerId: Id<'partner'>,
  contractNumbers: readonly string[],
): Promise<Map<string, Pick<PaymentEntry, 'date' | 'amount'> & { isOnly: boolean }>> {
  const rows = await db.query<
    Pick<PaymentEntry, 'date'> & { contractNumber: string; amount: number; isOnly: boolean }
  >(sql`
    select distinct on (contract_number) contract_number as "contractNumber", due_on::text as date,
           amount_pence::float8 as amount, count(*) over (partition by contract_number) = 1 as "isOnly"
      from payment_entries
     where partner_id = ${partnerId} and contract_number = any(${[...contractNumbers]}::text[]) and status = 'planned'
     order by contract_number, due_on, entry_id`)
  return new Map(
    rows.map(({ contractNumber, amount, ...rest }) => [contractNumber, { ...rest, amount: pence(amount) }]),
  )
}

/**
 * The entry that a payment is for: the one that the payment names, unless another payment has paid it; otherwise the
 * one for which it was attempted before, also if it was cancelled since; otherwise, if it names none, the first that is
 * due. Its amount must be exactly
 * that of the payment, so a payment in another currency, which has none here, is for no entry. Undefined if there is
 * none.
 */
export async function findEntryOfPayment(
  tx: Tx,
  { partnerId, customerId }: Payer,
  payment: { entryId: string | null; paymentId: string; amount: Pence | null },
): Promise<Id<'entry'> | undefined> {
  const { entryId, paymentId, amount } = payment
  const [row] = await tx.query<{ entryId: Id<'entry'> }>(sql`
    select entry_id as "entryId" from payment_entries
     where partner_id = ${partnerId} and customer_id = ${customerId} and status <> 'waived' and kind <> 'refund'
       and amount_pence = ${amount}
       and (payment_id = ${paymentId}
            or (entry_id = ${entryId} and (status in ('planned', 'submitted', 'failed', 'reopened')
                                           or (status = 'cancelled'
                                               and (attempt_number > 0 or payment_id is not null))))
            or (${entryId}::text is null and status in ('planned', 'submitted', 'failed')))
     order by coalesce(entry_id = ${entryId}, false) desc, coalesce(payment_id = ${paymentId}, false) desc, due_on,
       entry_id limit 1`)
  return row?.entryId
}

/** The name to which encryption binds why an attempt failed. */
export const failureColumn = 'payment_entries.failure'

/**
 * Records the outcome of an attempt to collect an entry, and why it failed. Changes nothing if the entry is collected
 * already.
 */
export async function markEntryAttempted(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  entryId: Id<'entry'>,
  attempt: {
    outcome: 'paid' | 'failed'
    error: PaymentErrorCode | null
    paymentId: string
    amount: Pence | null
    occurredAt: Date
  },
): Promise<void> {
  const isPaid = attempt.outcome === 'paid'
  const failure = attempt.error === null ? null : cipher.encrypt(attempt.error, { column: failureColumn, row: entryId })
  await tx.query(sql`
    update payment_entries
       set status = ${attempt.outcome}, payment_id = ${attempt.paymentId}, failure_encrypted = ${failure},
           retry_on = case when ${attempt.error === 'authentication_required'} then null else retry_on end,
           collected_at = ${isPaid ? attempt.occurredAt : null},
           collected_pence = case when ${isPaid} then coalesce(${attempt.amount}, amount_pence) end
     where partner_id = ${partnerId} and entry_id = ${entryId}
       and (status in ('planned', 'submitted', 'failed') or (status in ('reopened', 'cancelled') and ${isPaid}))`)
}

/**
 * Cancels the entries of contracts that are not collected, because they are no longer owed. Returns one of each contract
 * of which something was collected.
 */
export async function cancelUncollectedEntries(
  tx: Tx,
  partnerId: Id<'partner'>,
  contractNumbers: readonly string[],
): Promise<Id<'entry'>[]> {
  const rows = await tx.query<{ entryId: Id<'entry'> }>(sql`
    with uncollected as (
      update payment_entries set status = 'cancelled'
       where partner_id = ${partnerId} and contract_number = any(${[...contractNumbers]}::text[])
         and status in ('planned', 'submitted', 'failed'))
    select distinct on (contract_number) entry_id as "entryId" from payment_entries
     where partner_id = ${partnerId} and contract_number = any(${[...contractNumbers]}::text[])
       and collected_pence > 0
     order by contract_number, entry_id`)
  return rows.map(({ entryId }) => entryId)
}

/** Of these entries, or of those that they continue, the one that was the first to fail; null if none failed. */
export async function findFirstToFail(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryIds: readonly string[],
): Promise<string | null> {
  const [row] = await tx.query<{ entryId: string }>(sql`
    select r.entry_id as "entryId" from payment_reports r
     where r.partner_id = ${partnerId} and r.outcome = 'failed' and r.entry_id = any(array(
       select coalesce(e.continues, e.entry_id) from payment_entries e
        where e.partner_id = ${partnerId} and e.entry_id = any(${[...entryIds]}::text[])))
     order by r.recorded_at, r.report_id limit 1`)
  return row?.entryId ?? null
}

/**
 * Payments of a contract's plan that an early end dropped and that were not collected since, by due date. In this order
 * and with these statuses they come back if the end is moved or taken back.
 */
export async function listDroppedEntries(
  tx: Tx,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
): Promise<(Pick<PaymentEntry, 'entryId' | 'kind' | 'date' | 'amount' | 'periodEnd' | 'retryOn'> & Dropped)[]> {
  const rows = await tx.query<{
    entryId: Id<'entry'>
    kind: 'plan'
    date: IsoDate
    amount: number
    periodEnd: IsoDate | null
    retryOn: IsoDate | null
    droppedFrom: NonNullable<Dropped['droppedFrom']>
  }>(sql`
    select entry_id as "entryId", kind, due_on::text as date, amount_pence::float8 as amount,
           period_end::text as "periodEnd", case dropped_from when 'failed' then retry_on end::text as "retryOn",
           dropped_from as "droppedFrom"
      from payment_entries
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and kind = 'plan'
       and status = 'cancelled' and dropped_from is not null
     order by due_on, entry_id`)
  return rows.map((row) => ({ ...row, amount: pence(row.amount) }))
}

interface Dropped {
  /** What it was when an early end dropped it. */
  droppedFrom?: 'planned' | 'submitted' | 'failed'
}

/** Puts payments back on the plan that an early end dropped. */
export async function restoreEntries(
  tx: Tx,
  partnerId: Id<'partner'>,
  entries: readonly Pick<PaymentEntry, 'entryId' | 'date' | 'retryOn'>[],
): Promise<void> {
  await tx.query(sql`
    update payment_entries e
       set status = e.dropped_from, dropped_from = null, due_on = kept.due_on,
           retry_on = coalesce(kept.retry_on, e.retry_on)
      from unnest(${entries.map(({ entryId }) => entryId)}::text[], ${entries.map(({ date }) => date)}::date[],
                  ${entries.map(({ retryOn }) => retryOn)}::date[]) kept (entry_id, due_on, retry_on)
     where e.partner_id = ${partnerId} and e.entry_id = kept.entry_id and e.status = 'cancelled'
       and e.dropped_from is not null`)
}

/** Cancels entries that are not collected, because they are no longer owed. */
export async function cancelEntries(tx: Tx, partnerId: Id<'partner'>, entryIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update payment_entries set status = 'cancelled', dropped_from = status
     where partner_id = ${partnerId} and entry_id = any(${[...entryIds]}::text[])
       and status in ('planned', 'submitted', 'failed')`)
}

/**
 * Cancels what is open of a contract's refunds that nobody ordered, because what is owed is settled again, and an exit
 * fee that was waived, until `restoreWaivedFee`. What was paid back stays.
 */
export async function cancelSettlement(tx: Tx, partnerId: Id<'partner'>, contractNumber: string): Promise<void> {
  await tx.query(sql`
    update payment_entries
       set status = case when collected_pence > 0 then 'paid' else 'cancelled' end,
           amount_pence = case when collected_pence > 0 then collected_pence else amount_pence end,
           dropped_from = case kind when 'exit_fee' then status end
     where partner_id = ${partnerId} and contract_number = ${contractNumber}
       and (kind = 'refund' and order_reason is null and status in ('planned', 'submitted', 'failed')
            or kind = 'exit_fee' and status = 'waived' and collected_pence is null)`)
}

/** Whether the operator waived an exit fee of the contract, also if its end was moved or taken back since. */
export async function hasWaivedFee(
  tx: Tx,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from payment_entries
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and kind = 'exit_fee'
       and 'waived' in (status, dropped_from) limit 1`)
  return rows.length > 0
}

/** Waives as much of an exit fee that was waived before as is owed after the last day was moved. */
export async function restoreWaivedFee(
  tx: Tx,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
  amount: Pence,
): Promise<void> {
  await tx.query(sql`
    update payment_entries set status = 'waived', dropped_from = null, amount_pence = ${amount}
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and kind = 'exit_fee'
       and dropped_from = 'waived'`)
}

/** The entry that a reported payment is for; undefined if it is for none. */
export async function findEntryOfReversal(
  tx: Tx,
  partnerId: Id<'partner'>,
  paymentId: string,
): Promise<Id<'entry'> | undefined> {
  const [row] = await tx.query<{ entryId: Id<'entry'> }>(sql`
    select entry_id as "entryId" from payment_reports
     where partner_id = ${partnerId} and payment_id = ${paymentId} and outcome = 'paid' and entry_id is not null
     order by recorded_at limit 1`)
  return row?.entryId
}

/**
 * What the ledger says of a customer's payments: `failed` while one is failed or disputed, else the outcome of the
 * latest collection of a payment that was not given up, else `ready`. A card that was attached after that collection
 * makes it `ready` too.
 */
export async function findLedgerStatus(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<'paid' | 'failed' | 'ready'> {
  const [row] = await db.query<{ hasFailed: boolean; latest: 'paid' | 'failed' | null }>(sql`
    select exists (select from payment_entries
                    where partner_id = ${partnerId} and customer_id = ${customerId} and status in ('failed', 'disputed')
                      and kind <> 'refund')
             as "hasFailed",
           (select r.outcome from payment_reports r
              left join payment_entries e on e.partner_id = r.partner_id and e.entry_id = r.entry_id
              join customers c on c.partner_id = r.partner_id and c.customer_id = r.customer_id
             where r.partner_id = ${partnerId} and r.customer_id = ${customerId} and r.outcome in ('paid', 'failed')
               and not exists (select from payment_reports w where w.partner_id = r.partner_id
                               and w.corrects = r.report_id)
               and e.status is distinct from 'waived' and e.kind is distinct from 'refund'
               and coalesce(r.occurred_at >= c.last_collection_at, true)
             order by r.occurred_at desc, r.recorded_at desc limit 1) as latest`)
  if (row?.hasFailed === true) return 'failed'
  return row?.latest ?? 'ready'
}
