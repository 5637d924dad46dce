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

/** Deletes up to `limit` of the requests that are too old. Returns how many. */
export async function deleteOldRequests(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from sandbox_requests
     where ctid = any(array(select ctid from sandbox_requests
                             where at < now() - ${keptRequestDays}::int * interval '1 day' limit ${limit}))
    returning 1`)
  return rows.length
}

/** Deletes up to `limit` of the oldest requests of the partners that have too many. Returns how many. */
export async function deleteSurplusRequests(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from sandbox_requests
     where ctid = any(array(
       select r.ctid
         from partners p cross join lateral (
           select entry_id from sandbox_requests latest
            where latest.partner_id = p.partner_id order by entry_id desc offset ${keptRequests} limit 1) first
         join sandbox_requests r on r.partner_id = p.partner_id and r.entry_id <= first.entry_id
        limit ${limit}))
    returning 1`)
  return rows.length
}
