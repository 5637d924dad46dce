import type { Queryable } from '../../platform/db/database.ts'
import { empty, joinSql, type Sql, sql } from '../../platform/db/sql.ts'
import { addDays, type IsoDate, startOfLondonDay } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type FunnelDay, funnelColumns, type Period, type SalesWeek } from './funnel.schema.ts'

/** A position in the report, which is in the order of the days and, within a day, of the partners' ids. */
interface FunnelPosition {
  date: IsoDate
  partnerId: string
}

/** Which days to count. */
export interface FunnelRequest extends Period {
  partnerId?: string | undefined
  after?: FunnelPosition | undefined
  limit?: number
}

/** Each column, of the quotes `q` of a partner `p` and a day, their customers `c` and their contracts `k`. */
const columns: Readonly<Record<keyof FunnelDay, Sql>> = {
  date: sql`day::text as date`,
  partnerId: sql`p.partner_id as "partnerId"`,
  partnerName: sql`p.name as "partnerName"`,
  quotes: sql`count(*)::int as quotes`,
  priced: sql`count(q.price)::int as priced`,
  tenants: sql`count(*) filter (where c.is_any)::int as tenants`,
  details: sql`count(*) filter (where c.has_details)::int as details`,
  card: sql`count(*) filter (where c.has_card)::int as card`,
  accepted: sql`count(*) filter (where k.is_any)::int as accepted`,
  inForce: sql`count(*) filter (where k.took_effect)::int as "inForce"`,
  value: sql`coalesce(sum((q.price ->> 'totalCost')::bigint) filter (where k.took_effect), 0)::float8 as value`,
}

/** How far a quote `q` has got, by its customers `c` and its contracts `k`. */
const reached = sql`lateral (
        select count(*) > 0 as is_any, bool_or(personal_information_at is not null) as has_details,
               bool_or(payment_status in ('ready', 'paid', 'failed')) as has_card,
               bool_or(onboarding_revision > 0) as has_link, bool_or(pages_opened_at is not null) as has_opened
          from customers where partner_id = q.partner_id and quote_id = q.quote_id) c, lateral (
        select count(*) > 0 as is_any, bool_or(effective_at is not null) as took_effect,
               bool_or(status = 'in_force') as is_in_force
          from contracts where partner_id = q.partner_id and quote_id = q.quote_id) k`

/** Counts the quotes of each partner and day, oldest day first; only days on which the partner created a quote. */
export function countFunnelDays(
  system: Queryable,
  { from, to, partnerId, after, limit }: FunnelRequest,
): Promise<FunnelDay[]> {
  return system.query<FunnelDay>(sql`
    select ${joinSql(funnelColumns.map((name) => columns[name]))}
      from partners p, lateral (
        select partner_id, quote_id, created_at, price from quotes
         where partner_id = p.partner_id and created_at > '-infinity'
           and created_at >= ${startOfLondonDay(after?.date ?? from)}
           and created_at < ${startOfLondonDay(addDays(to, 1))} offset 0) q, lateral (
        select (q.created_at at time zone 'Europe/London')::date as day) d, ${reached}
     where true
       ${partnerId === undefined ? empty : sql`and p.partner_id = ${partnerId}`}
       ${after === undefined ? empty : sql`and (day, p.partner_id) > (${after.date}::date, ${after.partnerId})`}
     group by day, p.partner_id
     order by day, p.partner_id ${limit === undefined ? empty : sql`limit ${limit}`}`)
}

/** Which weeks of a partner to count, of what a branch or a person sold. */
export interface SalesRequest extends Period {
  partnerId: Id<'partner'>
  branch: string | undefined
  soldBy: string | undefined
}

/** Counts what a partner quoted and sold in each week, by branch; only weeks and branches with something. */
export function countSalesWeeks(
  db: Queryable,
  { from, to, partnerId, branch, soldBy }: SalesRequest,
): Promise<SalesWeek[]> {
  const [since, until] = [startOfLondonDay(from), startOfLondonDay(addDays(to, 1))]
  const weekOf = (time: Sql) => sql`date_trunc('week', ${time} at time zone 'Europe/London')::date as week`
  const own = sql`${branch === undefined ? empty : sql`and q.branch = ${branch}`}
                  ${soldBy === undefined ? empty : sql`and q.sold_by = ${soldBy}`}`
  return db.query<SalesWeek>(sql`
    with quoted as (
      select ${weekOf(sql`q.created_at`)}, q.branch, count(*) as quoted,
             count(*) filter (where c.has_link or c.has_opened or k.is_any) as invited,
             count(*) filter (where c.has_opened or k.is_any) as opened, count(*) filter (where k.is_any) as signed,
             count(*) filter (where k.took_effect) as in_force,
             count(*) filter (where k.took_effect and not k.is_in_force) as ended
        from quotes q, ${reached}
       where q.partner_id = ${partnerId} and q.created_at > '-infinity' and q.created_at >= ${since}
         and q.created_at < ${until} ${own}
       group by 1, 2), sold as (
      select ${weekOf(sql`k.effective_at`)}, q.branch, count(distinct q.quote_id) as households, count(*) as contracts
        from contracts k join quotes q using (partner_id, quote_id)
       where k.partner_id = ${partnerId} and k.effective_at > '-infinity' and k.effective_at >= ${since}
         and k.effective_at < ${until} ${own}
       group by 1, 2)
    select week::text, branch, sum(quoted)::int as quoted, sum(invited)::int as invited, sum(opened)::int as opened,
           sum(signed)::int as signed, sum(in_force)::int as "inForce", sum(ended)::int as ended,
           sum(households)::int as households, sum(contracts)::int as contracts
      from (select *, 0 as households, 0 as contracts from quoted union all
            select week, branch, 0, 0, 0, 0, 0, 0, households, contracts from sold) both_kinds
     group by week, branch order by week, branch nulls first`)
}

/** The database's time. Everything that was written before it is counted by the statements that follow. */
export async function readSnapshotBoundary(system: Queryable): Promise<Date> {
  const [row] = await system.query<{ now: Date }>(sql`select now()`)
  if (row === undefined) throw new Error('the database did not say what time it is')
  return row.now
}

/** Whether there is a partner with this id. */
export async function isPartner(system: Queryable, partnerId: string): Promise<boolean> {
  return (await system.query(sql`select from partners where partner_id = ${partnerId}`)).length > 0
}
