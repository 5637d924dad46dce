import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Month } from './commission-month.ts'
import type { CommissionTerms } from './commission-terms.ts'

/**
 * Makes everybody who records entries, closes a month or adds terms of this partner wait until the transaction has
 * ended.
 */
export async function lockCommission(tx: Tx, partnerId: Id<'partner'>): Promise<void> {
  await tx.query(sql`select lock_commission(${partnerId})`)
}

/**
 * All terms of a partner by their first day; of several with the same one, in the order in which they were recorded.
 */
export function listTerms(db: Queryable, partnerId: Id<'partner'>): Promise<CommissionTerms[]> {
  return db.query<CommissionTerms>(sql`
    select term_number::float8 as "termNumber", first_day::text as "firstDay", tiers, recorded_at as "recordedAt"
      from commission_terms where partner_id = ${partnerId} order by first_day, term_number`)
}

export async function insertTerms(
  tx: Tx,
  partnerId: Id<'partner'>,
  { firstDay, tiers, recordedAt }: Omit<CommissionTerms, 'termNumber'>,
): Promise<number> {
  const [row] = await tx.query<{ termNumber: number }>(sql`
    insert into commission_terms (partner_id, first_day, tiers, recorded_at)
    values (${partnerId}, ${firstDay}, ${JSON.stringify(tiers)}::jsonb, ${recordedAt})
    returning term_number::float8 as "termNumber"`)
  if (row === undefined) throw new Error('commission terms were not stored')
  return row.termNumber
}

/**
 * The first earning of a contract that took effect from `from` to the day before `to`, or ever after without `to`; null
 * if there is none.
 */
export async function findEarningWithin(
  tx: Tx,
  partnerId: Id<'partner'>,
  { from, to }: { from: IsoDate; to: IsoDate | null },
): Promise<IsoDate | null> {
  const [row] = await tx.query<{ countsOn: IsoDate | null }>(sql`
    select min(e.counts_on)::text as "countsOn"
      from commission_entries e join contracts k using (partner_id, contract_number)
     where e.partner_id = ${partnerId} and e.kind = 'earned'
       and (k.effective_at at time zone 'Europe/London')::date >= ${from}::date
       and (${to}::date is null or (k.effective_at at time zone 'Europe/London')::date < ${to}::date)`)
  return row?.countsOn ?? null
}

/** The last month of the partner that is closed; null if none is. */
export async function findLastClosed(db: Queryable, partnerId: Id<'partner'>): Promise<Month | null> {
  const [row] = await db.query<{ month: Month | null }>(sql`
    select to_char(max(month), 'YYYY-MM') as month from commission_closings where partner_id = ${partnerId}`)
  return row?.month ?? null
}

export async function insertClosing(tx: Tx, partnerId: Id<'partner'>, month: Month, closedAt: Date): Promise<void> {
  await tx.query(sql`
    insert into commission_closings (partner_id, month, closed_at)
      values (${partnerId}, ${`${month}-01`}, ${closedAt})`)
}

/** Stores on which day the months were paid that were closed with this one, if one is given. Returns the stored day. */
export async function updatePaidOn(
  tx: Tx,
  partnerId: Id<'partner'>,
  month: Month,
  paidOn: IsoDate | null,
): Promise<IsoDate | null> {
  const [closing] = await tx.query<{ month: string; paidOn: IsoDate | null }>(sql`
    select month::text, paid_on::text as "paidOn" from commission_closings
     where partner_id = ${partnerId} and month >= ${`${month}-01`}::date order by month limit 1`)
  if (closing === undefined || paidOn === null || paidOn === closing.paidOn) return closing?.paidOn ?? null
  await tx.query(sql`
    update commission_closings set paid_on = ${paidOn} where partner_id = ${partnerId} and month = ${closing.month}`)
  return paidOn
}
