import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Account, AccountEntry, AccountReport, CountedEntry } from './account.ts'

/** Whose account: a contract of a customer. */
export interface AccountOwner {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  contractNumber: string
}

/** The account to which an entry belongs; undefined for an unknown id. */
export async function findAccountOwner(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<AccountOwner | undefined> {
  const [row] = await tx.query<AccountOwner>(sql`
    select partner_id as "partnerId", customer_id as "customerId", contract_number as "contractNumber"
      from payment_entries where partner_id = ${partnerId} and entry_id = ${entryId}`)
  return row
}

/** Everything that an account is counted from. */
export async function findAccount(
  tx: Tx,
  { partnerId, customerId, contractNumber }: AccountOwner,
): Promise<Account & { stored: CountedEntry[] }> {
  const entries = await tx.query<AccountEntry & CountedEntry>(sql`
    select entry_id as "entryId", kind, amount_pence::float8 as amount, status,
           paid_back_before::float8 as "paidBackBefore", again_for as "againFor", refund_kind as "refundKind",
           refund_of as "refundOf", order_reason is not null as "isOrdered", set_off as "isSetOff",
           collected_pence::float8 as collected, collected_at as "collectedAt", refunded_pence::float8 as refunded,
           disputed_pence::float8 as disputed, contested_pence::float8 as contested,
           owed_again_pence::float8 as "owedAgain"
      from payment_entries e
     where partner_id = ${partnerId} and customer_id = ${customerId} and contract_number = ${contractNumber}
     order by due_on, entry_id`)
  const reports = await tx.query<AccountReport>(sql`
    select report_id as "reportId", entry_id as "entryId", outcome, payment_id as "paymentId",
           subject_id as "subjectId",
           (select o.refund_entry_id from refund_orders o
             where o.partner_id = r.partner_id and o.refund_id = r.subject_id) as "paysRefund",
           amount_pence::float8 as amount, occurred_at as "occurredAt", corrects
      from payment_reports r
     where partner_id = ${partnerId} and entry_id = any(${entries.map(({ entryId }) => entryId)}::text[])
     order by recorded_at, report_id`)
  const [contract] = await tx.query<{ finalTotal: number | null }>(sql`
    select case when status in ('lapsed', 'superseded') then 0
           else (final_statement ->> 'total')::float8 + coalesce((final_statement ->> 'reduction')::float8, 0)
           end as "finalTotal"
      from contracts
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
  return { entries, reports, finalTotal: contract?.finalTotal ?? null, stored: entries }
}

/** Stores what an entry shows. */
export async function storeCounted(tx: Tx, partnerId: Id<'partner'>, entry: CountedEntry): Promise<void> {
  await tx.query(sql`
    update payment_entries
       set status = ${entry.status}, amount_pence = ${entry.amount}, collected_pence = ${entry.collected},
           collected_at = ${entry.collectedAt}, refunded_pence = ${entry.refunded}, disputed_pence = ${entry.disputed},
           contested_pence = ${entry.contested}, owed_again_pence = ${entry.owedAgain}
     where partner_id = ${partnerId} and entry_id = ${entry.entryId}`)
}

/** Stores by how much each refund of an account exceeds what could be paid back: 0 for those that are not named. */
export async function storeExceeding(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryIds: readonly string[],
  exceeds: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(sql`
    update payment_reports r set exceeds_pence = coalesce(x.pence, 0)
      from payment_reports each
      left join unnest(${[...exceeds.keys()]}::text[], ${[...exceeds.values()]}::bigint[]) as x (report_id, pence)
        on x.report_id = each.report_id
     where each.partner_id = ${partnerId} and each.entry_id = any(${[...entryIds]}::text[])
       and r.partner_id = each.partner_id and r.report_id = each.report_id and r.exceeds_pence <> coalesce(x.pence, 0)`)
}
