import type { Queryable } from '../../platform/db/database.ts'
import { empty, joinSql, type Sql, sql } from '../../platform/db/sql.ts'
import { addDays, type IsoDate, startOfLondonDay } from '../../platform/kernel/dates.ts'
import { type FunnelDay, funnelColumns, type Period } from './funnel.schema.ts'

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
        select (q.created_at at time zone 'Europe/London')::date as day) d, lateral (
        select count(*) > 0 as is_any, bool_or(personal_information_at is not null) as has_details,
               bool_or(payment_status in ('ready', 'paid', 'failed')) as has_card
          from customers where partner_id = q.partner_id and quote_id = q.quote_id) c, lateral (
        select count(*) > 0 as is_any, bool_or(effective_at is not null) as took_effect
          from contracts where partner_id = q.partner_id and quote_id = q.quote_id) k
     where true
       ${partnerId === undefined ? empty : sql`and p.partner_id = ${partnerId}`}
       ${after === undefined ? empty : sql`and (day, p.partner_id) > (${after.date}::date, ${after.partnerId})`}
     group by day, p.partner_id
     order by day, p.partner_id ${limit === undefined ? empty : sql`limit ${limit}`}`)
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
