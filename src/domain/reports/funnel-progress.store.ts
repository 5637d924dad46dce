import type { Queryable } from '../../db/database.ts'
import { empty, sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'

/** How far the quotes' changes are counted. `countedBelow` is the number of a transaction: all before it are counted. */
export interface FunnelProgress {
  epoch: string
  countedBelow: string
}

/** How far the changes are counted; undefined before the first count. */
export async function findProgress(system: Queryable): Promise<FunnelProgress | undefined> {
  const [row] = await system.query<FunnelProgress>(sql`
    select epoch, counted_below::text as "countedBelow" from funnel_progress`)
  return row
}

/** When everything that had been written was counted last; null before the first count. */
export async function findCountedAt(operator: Queryable): Promise<Date | null> {
  const [row] = await operator.query<{ countedAt: Date }>(sql`select counted_at as "countedAt" from funnel_progress`)
  return row?.countedAt ?? null
}

/** Records that every change of the transactions before `countedBelow` is counted and, if given, all that was visible at `countedAt`. */
export async function saveProgress(
  system: Queryable,
  { epoch, countedBelow, countedAt }: FunnelProgress & { countedAt: Date | undefined },
): Promise<void> {
  await system.query(sql`
    insert into funnel_progress (epoch, counted_below, counted_at)
    values (${epoch}, ${countedBelow}::xid8, coalesce(${countedAt ?? null}::timestamptz, '-infinity'))
    on conflict (is_only) do update
       set epoch = excluded.epoch, counted_below = excluded.counted_below,
           counted_at = greatest(funnel_progress.counted_at, excluded.counted_at)`)
}

/** This moment in the database: its time, and the oldest transaction that has not ended. Everything of earlier transactions is visible. */
export async function readPresent(system: Queryable): Promise<{ endedBelow: string; at: Date }> {
  const [row] = await system.query<{ endedBelow: string; at: Date }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as "endedBelow", now() as at`)
  if (row === undefined) throw new Error('the database did not say which transactions have ended')
  return row
}

/** The quotes of a partner that transactions changed. */
export interface ChangedQuotes {
  partnerId: Id<'partner'>
  quoteIds: string[]
}

/** Where `limit` transactions end that changed quotes, `from` this one on and in the order of their numbers; null if there are no more than that. */
export async function findEndOfStep(system: Queryable, from: string, limit: number): Promise<string | null> {
  const [row] = await system.query<{ next: string }>(sql`
    select transaction_id::text as next from audit_log where transaction_id >= ${from}::xid8 and quote_id is not null
     group by transaction_id order by transaction_id offset ${limit} limit 1`)
  return row?.next ?? null
}

/**
 * The quotes of all partners that transactions changed, `from` this one on and before `next`. Includes what transactions changed that ended early, and
 * leaves out those that have not ended.
 */
export function listChangedQuotes(system: Queryable, from: string, next: string | null): Promise<ChangedQuotes[]> {
  return system.query<ChangedQuotes>(sql`
    select partner_id as "partnerId", array_agg(distinct quote_id) as "quoteIds" from audit_log
     where transaction_id >= ${from}::xid8 ${next === null ? empty : sql`and transaction_id < ${next}::xid8`} and quote_id is not null
     group by partner_id order by partner_id`)
}
