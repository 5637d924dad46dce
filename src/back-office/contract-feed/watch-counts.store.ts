import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/**
 * How many contracts that are or were in force have had a version for a day that nobody has acknowledged; at most
 * `limit`. Uses real time.
 */
export async function countUnacknowledged(system: Queryable, limit: number): Promise<number> {
  const [row] = await system.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select distinct k.contract_number from contract_versions v join contracts k using (partner_id, contract_number)
       where not v.is_acknowledged and v.recorded_at < now() - interval '1 day' and k.effective_at is not null
       limit ${limit}) waiting`)
  return row?.count ?? 0
}

/**
 * How many services of homes with a contract in force have begun before today in their partner's clock, and have no
 * report; at most `limit`. Their ids are those of `serviceIds`.
 */
export async function countUnreported(system: Queryable, limit: number): Promise<number> {
  const [row] = await system.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select distinct k.quote_id, line.service_id
        from contracts k join quotes q using (partner_id, quote_id) join partners p using (partner_id)
       cross join lateral (select ((now() + make_interval(secs => p.clock_offset_seconds)) at time zone
         'Europe/London')::date as today) clock
       cross join lateral (
         select each.start_date, repeat(each.package_id || '/', same_id::int - 1) || each.id as service_id
           from (select (value ->> 'startDate')::date as start_date, value ->> 'packageId' as package_id,
                        coalesce(value ->> 'productId', value ->> 'packageId') as id,
                        row_number() over (partition by coalesce(value ->> 'productId', value ->> 'packageId')
                                           order by ordinality) as same_id
                   from jsonb_array_elements(k.price -> 'lines') with ordinality) each) line
       where k.status = 'in_force' and k.starts_on < clock.today and line.start_date < clock.today
         and not q.service_statuses ? line.service_id
       limit ${limit}) waiting`)
  return row?.count ?? 0
}
