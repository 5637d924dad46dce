import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { LoggedRequest, RequestFilter } from './logged-request.ts'
import { listRequests as selectRequests } from './requests.store.ts'

/**
 * GET /Sandbox/requests: a page of the partner's requests, newest first, and the last entry of the page if there are
 * more.
 */
export async function listRequests(
  { db }: { db: Database },
  { partnerId }: Caller,
  { before, limit, ...filter }: RequestFilter & { before: Id<'request'> | undefined; limit: number },
): Promise<{ requests: LoggedRequest[]; next: Id<'request'> | null }> {
  const found = await selectRequests(db, partnerId, filter, { before, limit: limit + 1 })
  const requests = found.slice(0, limit)
  return { requests, next: found.length > limit ? (requests.at(-1)?.entryId ?? null) : null }
}
