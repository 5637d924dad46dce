import type { Queryable } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { uprnKey } from '../uprn.ts'
import type { MeterPointRow } from './meter-point-row.ts'
import type { MeterPoints } from './meter-point-source.ts'

/** The imported meters of these properties, keyed by `uprnKey`. */
export async function listMeterPoints(
  db: Queryable,
  uprns: readonly string[],
): Promise<(MeterPoints & { uprnKey: string })[]> {
  return db.query(sql`
    select uprn as "uprnKey", mpan, mprn from meter_points where uprn = any(${uprns.map(uprnKey)}::text[])`)
}

/**
 * Writes the rows of a meter-point file, each with a different UPRN. Updates a stored UPRN only if something differs. Writes in
 * UPRN order, so that two concurrent imports wait for each other instead of deadlocking.
 */
export async function upsertMeterPoints(
  db: Queryable,
  rows: readonly MeterPointRow[],
): Promise<{ inserted: number; updated: number }> {
  // xmax is 0 for an inserted row, and set for an updated one.
  const written = await db.query<{ inserted: boolean }>(sql`
    insert into meter_points (uprn, mpan, mprn)
    select * from unnest(
      ${rows.map(({ uprn }) => uprnKey(uprn))}::text[],
      ${rows.map(({ mpan }) => mpan)}::text[], ${rows.map(({ mprn }) => mprn)}::text[]
    ) as given (uprn, mpan, mprn)
    order by uprn
    on conflict (uprn) do update set mpan = excluded.mpan, mprn = excluded.mprn, updated_at = now()
    where (meter_points.mpan, meter_points.mprn) is distinct from (excluded.mpan, excluded.mprn)
    returning (xmax = 0) as inserted`)
  const inserted = written.filter((row) => row.inserted).length
  return { inserted, updated: written.length - inserted }
}
