import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** An active quote whose lock has ended on its partner's clock. */
export interface EndedLock {
  quoteId: Id<'quote'>
  /** As PostgreSQL writes it, because a `Date` loses the microseconds. */
  lockedUntil: string
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
}

/**
 * Quotes of all partners whose lock has ended, the longest ago first, from the one after `after`. `now` is real time;
 * each partner's clock is added to it.
 */
export function listEndedLocks(
  db: Queryable,
  { now, after, limit }: { now: Date; after: EndedLock | undefined; limit: number },
): Promise<EndedLock[]> {
  return db.query<EndedLock>(sql`
    select q.quote_id as "quoteId", q.locked_until::text as "lockedUntil", q.partner_id as "partnerId",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from quotes q join partners p using (partner_id)
     where q.stage = 'active' and q.locked_until <= ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)
       ${
         after === undefined
           ? empty
           : sql`and (q.locked_until, q.quote_id) > (${after.lockedUntil}::timestamptz, ${after.quoteId})`
       }
     order by q.locked_until, q.quote_id limit ${limit}`)
}
