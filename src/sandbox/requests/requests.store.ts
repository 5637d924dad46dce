import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { keptRequestDays, keptRequests, type LoggedRequest, type RequestFilter } from './logged-request.ts'

/** A request, and whose it is. */
export type OwnedRequest = LoggedRequest & { partnerId: string }

/** Adds requests, which may be of several partners. */
export async function insertRequests(db: Queryable, requests: readonly OwnedRequest[]): Promise<void> {
  const column = (name: keyof OwnedRequest) => requests.map((request) => request[name])
  await db.query(sql`
    insert into sandbox_requests (partner_id, entry_id, at, request_id, method, route, operation_id, status, code,
                                  duration_ms)
    select * from unnest(
      ${column('partnerId')}::text[], ${column('entryId')}::text[], ${column('at')}::timestamptz[],
      ${column('requestId')}::text[],
      ${column('method')}::text[], ${column('route')}::text[], ${column('operationId')}::text[],
      ${column('status')}::int[],
      ${column('code')}::text[], ${column('durationMs')}::int[])`)
}

/** The partner's requests, newest first. */
export function listRequests(
  db: Queryable,
  partnerId: Id<'partner'>,
  { operationId, status, createdAfter, createdBefore }: RequestFilter,
  { before, limit }: { before: Id<'request'> | undefined; limit: number },
): Promise<LoggedRequest[]> {
  return db.query<LoggedRequest>(sql`
    select entry_id as "entryId", at, request_id as "requestId", method, route, operation_id as "operationId", status,
           code,
           duration_ms as "durationMs"
      from sandbox_requests
     where partner_id = ${partnerId}
       ${before === undefined ? empty : sql`and entry_id < ${before}`}
       ${operationId === undefined ? empty : sql`and operation_id = ${operationId}`}
       ${status === undefined ? empty : sql`and status = ${status}`}
       ${createdAfter === undefined ? empty : sql`and at >= ${createdAfter}`}
       ${createdBefore === undefined ? empty : sql`and at < ${createdBefore}`}
     order by entry_id desc limit ${limit}`)
}

/**
 * Deletes the requests that are too old, and each partner's oldest ones if there are too many. Returns how many it
 * deleted.
 */
export async function deleteOldRequests(db: Queryable): Promise<number> {
  const expired = await db.query(sql`
    delete from sandbox_requests where at < now() - ${keptRequestDays}::int * interval '1 day' returning 1`)
  const surplus = await db.query(sql`
    delete from sandbox_requests r
     using partners p cross join lateral (
       select entry_id from sandbox_requests latest
        where latest.partner_id = p.partner_id order by entry_id desc offset ${keptRequests} limit 1) first
     where r.partner_id = p.partner_id and r.entry_id <= first.entry_id
    returning 1`)
  return expired.length + surplus.length
}
