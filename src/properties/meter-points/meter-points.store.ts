import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { StagedTable, StoredBatch } from '../import/staged-rows.store.ts'
import type { MeterPointRow } from './meter-point-row.ts'
import type { KnownMeters } from './meter-points.ts'

/** The imported meters of these properties. */
export async function listMeterPoints(
  db: Queryable,
  uprns: readonly string[],
): Promise<(KnownMeters & { uprn: string })[]> {
  return db.query(sql`select uprn, mpan, mprn, meter from meter_points where uprn = any(${[...uprns]}::text[])`)
}

/** The temporary table of an import of meter points. */
export const stagedMeterPoints: StagedTable<MeterPointRow> = {
  definition: sql`uprn text, mpan text, mprn text, meter jsonb`,
  content: sql`mpan, mprn, meter`,
  storedIn: sql`meter_points`,
  values: ({ uprn, mpan, mprn, meter }) => [uprn, mpan, mprn, meter && JSON.stringify(meter)],
}

/**
 * Stores the rows of a meter-point file that follow this UPRN in the temporary table `staged`, at most `limit`, in UPRN
 * order. A stored UPRN keeps facts that the file does not give, and is updated only if something differs.
 */
export async function storeStagedMeterPoints(
  session: Queryable,
  afterUprn: string,
  limit: number,
): Promise<StoredBatch> {
  // xmax is 0 for an inserted row, and set for an updated one.
  const [batch] = await session.query<StoredBatch>(sql`
    with batch as (select uprn, mpan, mprn, meter from staged where uprn > ${afterUprn} order by uprn limit ${limit}),
    written as (
      insert into meter_points as m (uprn, mpan, mprn, meter)
      select b.uprn, b.mpan, b.mprn, coalesce(s.meter || b.meter, b.meter, s.meter)
        from batch b left join meter_points s on s.uprn = b.uprn
       where s.uprn is null or (s.mpan, s.mprn) is distinct from (b.mpan, b.mprn)
          or not coalesce(s.meter @> b.meter, b.meter is null)
       order by b.uprn
      on conflict (uprn) do update set mpan = excluded.mpan, mprn = excluded.mprn, meter = excluded.meter,
                                       updated_at = now()
        where (m.mpan, m.mprn, m.meter) is distinct from (excluded.mpan, excluded.mprn, excluded.meter)
      returning (xmax = 0) as inserted)
    select (select max(uprn) from batch) as "lastUprn", (select count(*) from batch)::int as rows,
           (count(*) filter (where inserted))::int as inserted, (count(*) filter (where not inserted))::int as updated
      from written`)
  if (batch === undefined) throw new Error('a batch of staged meter points has no result')
  return batch
}
