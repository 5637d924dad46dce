import type { Queryable, Tx } from '../../db/database.ts'
import { empty, sql } from '../../db/sql.ts'
import { addDays, type IsoDate, startOfLondonDay } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import type { FunnelDay, Period } from './funnel.ts'

/** The days in London, oldest first, on which the partner created these quotes; by default any quote. */
export async function listDaysOfQuotes(
  db: Queryable,
  partnerId: Id<'partner'>,
  quoteIds?: readonly string[],
): Promise<IsoDate[]> {
  const rows = await db.query<{ day: IsoDate }>(sql`
    select distinct (created_at at time zone 'Europe/London')::date::text as day from quotes
     where partner_id = ${partnerId} ${quoteIds === undefined ? empty : sql`and quote_id = any(${[...quoteIds]}::text[])`}
     order by 1`)
  return rows.map(({ day }) => day)
}

/** Counts a partner's quotes of these days and replaces what was counted before. */
export async function recountDays(tx: Tx, partnerId: Id<'partner'>, days: readonly IsoDate[]): Promise<void> {
  // Locks the rows first: of two counts at the same time, the later one then sees what the earlier one saw, and more.
  await tx.query(sql`
    insert into funnel_days (partner_id, day) select ${partnerId}, day from unnest(${[...days]}::date[]) as d (day) order by day
    on conflict (day, partner_id) do update set day = excluded.day`)
  // The ends of the days are values and not worked out in the statement: behind row-level security, the index serves plain comparisons only.
  const begins = days.map(startOfLondonDay)
  const ends = days.map((day) => startOfLondonDay(addDays(day, 1)))
  await tx.query(sql`
    update funnel_days f
       set quotes = n.quotes, priced = n.priced, tenants = n.tenants, details = n.details, card = n.card, accepted = n.accepted,
           in_force = n.in_force, value_pence = n.value_pence
      from unnest(${[...days]}::date[], ${begins}::timestamptz[], ${ends}::timestamptz[]) as d (day, begins_at, ends_at), lateral (
        select count(*) as quotes, count(q.price) as priced, count(*) filter (where c.is_any) as tenants,
               count(*) filter (where c.has_details) as details, count(*) filter (where c.has_card) as card,
               count(*) filter (where k.is_any) as accepted, count(*) filter (where k.took_effect) as in_force,
               coalesce(sum((q.price ->> 'totalCost')::bigint) filter (where k.took_effect), 0) as value_pence
          from quotes q, lateral (
            select count(*) > 0 as is_any, bool_or(personal_information_at is not null) as has_details,
                   bool_or(payment_status in ('ready', 'paid', 'failed')) as has_card
              from customers where partner_id = ${partnerId} and quote_id = q.quote_id) c, lateral (
            select count(*) > 0 as is_any, bool_or(effective_at is not null) as took_effect
              from contracts where partner_id = ${partnerId} and quote_id = q.quote_id) k
         where q.partner_id = ${partnerId} and q.created_at >= d.begins_at and q.created_at < d.ends_at) n
     where f.partner_id = ${partnerId} and f.day = d.day`)
}

/** A place in the report, which is in the order of the days and, within a day, of the partners' ids. */
export interface FunnelPlace {
  date: string
  partnerId: string
}

/** Which days to read. */
export interface FunnelRequest extends Period {
  partnerId?: string | undefined
  after?: FunnelPlace | undefined
  limit: number
}

/** What was counted, oldest day first; only days on which the partner created a quote. */
export function listFunnelDays(
  operator: Queryable,
  { from, to, partnerId, after, limit }: FunnelRequest,
): Promise<FunnelDay[]> {
  return operator.query<FunnelDay>(sql`
    select f.day::text as date, f.partner_id as "partnerId", p.name as "partnerName", f.quotes, f.priced, f.tenants, f.details, f.card,
           f.accepted, f.in_force as "inForce", f.value_pence::float8 as value
      from funnel_days f join partners p using (partner_id)
     where f.day between ${from}::date and ${to}::date and f.quotes > 0
       ${partnerId === undefined ? empty : sql`and f.partner_id = ${partnerId}`}
       ${after === undefined ? empty : sql`and (f.day, f.partner_id) > (${after.date}::date, ${after.partnerId})`}
     order by f.day, f.partner_id limit ${limit}`)
}

/** Whether there is a partner with this id. */
export async function isPartner(operator: Queryable, partnerId: string): Promise<boolean> {
  return (await operator.query(sql`select from partners where partner_id = ${partnerId}`)).length > 0
}
