import type { Queryable } from '../../platform/db/database.ts'
import type { LongSession } from '../../platform/db/long-session.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import { maxListedProblems } from './row-reader.ts'

/** The temporary table to which the valid rows of a file are copied: `staged`, with the line of each. */
export interface StagedTable<Row> {
  /** The names and types of its columns, in the order of `values`. Has `uprn`, `mpan` and `mprn`. */
  definition: Sql
  /** What a row says about its property: rows that differ in it contradict each other. */
  content: Sql
  /** The table in which the rows are stored. */
  storedIn: Sql
  values(row: Row): readonly (string | null)[]
}

/** What became of a batch of staged rows. Those neither inserted nor updated were stored already. */
export interface StoredBatch {
  rows: number
  inserted: number
  updated: number
  lastUprn: string
}

/** A meter point that is stored for several properties. */
export interface SharedMeterPoint {
  kind: 'MPAN' | 'MPRN'
  meterPoint: string
  /** The UPRNs of the properties: the first ten. */
  uprns: string[]
}

const maxListedMeterPoints = 100

export async function createStagedRows<Row>(session: LongSession, { definition }: StagedTable<Row>): Promise<void> {
  await session.query(sql`create temporary table staged (line bigint not null, ${definition})`)
}

/** Copies lines in the text format of COPY, each with the line of the file and the values of the row. */
export async function copyStagedRows(session: LongSession, lines: AsyncIterable<string>): Promise<void> {
  await session.copyIn(sql`copy staged from stdin`, lines)
  await session.query(sql`create index on staged (uprn)`)
  await session.query(sql`analyze staged`)
}

/**
 * Removes the rows that must not be stored: of a property that the file gives in several ways, every row; of one that
 * it gives repeatedly, every row but the first. Lists the first of them by line, each with the lines of its property.
 */
export async function deleteRepeatedRows<Row>(
  session: LongSession,
  { content }: StagedTable<Row>,
): Promise<{
  rows: number
  conflictingRows: number
  listed: { line: number; lines: number[]; isConflict: boolean }[]
}> {
  const listed = await session.query<{
    rows: number
    conflictingRows: number
    line: number
    lines: number[]
    isConflict: boolean
  }>(sql`
    with repeated as (
      select uprn, (array_agg(line::float8 order by line))[1:10] as lines,
             count(distinct row(${content})) > 1 as is_conflict
        from staged group by uprn having count(*) > 1),
    removed as (
      delete from staged s using repeated r where s.uprn = r.uprn and (r.is_conflict or s.line > r.lines[1])
      returning s.line, r.lines, r.is_conflict)
    select count(*) over ()::int as rows, (count(*) filter (where is_conflict) over ())::int as "conflictingRows",
           line::float8 as line, lines, is_conflict as "isConflict"
      from removed order by line limit ${maxListedProblems}`)
  const { rows = 0, conflictingRows = 0 } = listed[0] ?? {}
  return { rows, conflictingRows, listed }
}

/**
 * The meter points of the staged rows that are stored for several properties. Reads the whole table in which they are
 * stored.
 */
export function listSharedMeterPoints<Row>(db: Queryable, { storedIn }: StagedTable<Row>): Promise<SharedMeterPoint[]> {
  return db.query<SharedMeterPoint>(sql`
    select kind, "meterPoint", uprns from (
      select 'MPAN' as kind, mpan as "meterPoint", (array_agg(uprn order by uprn::bigint))[1:10] as uprns
        from ${storedIn} where mpan in (select mpan from staged) group by mpan having count(*) > 1
      union all
      select 'MPRN', mprn, (array_agg(uprn order by uprn::bigint))[1:10]
        from ${storedIn} where mprn in (select mprn from staged) group by mprn having count(*) > 1) shared
    order by kind, "meterPoint" limit ${maxListedMeterPoints}`)
}
