import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { AvailabilityRequest } from '../quoting/broadband/availability-request.ts'
import { dayBefore } from '../quoting/broadband/broadband-checks.store.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'
import type { BroadbandRecord } from './broadband-providers.ts'

/** The cached upstream responses about a property. A missing response must be fetched. */
export interface CachedResponses {
  products?: BroadbandProduct[]
  line?: BroadbandRecord
}

/**
 * The difference between servers' clocks that we allow for. A response dated further in the future was stored under a
 * sandbox clock.
 */
const clockSkewMs = 60_000

export async function insertAvailabilityRequest(
  tx: Tx,
  partnerId: Id<'partner'>,
  request: AvailabilityRequest,
): Promise<void> {
  await tx.query(sql`
    insert into availability_requests (uid, partner_id, address_uid, status, created_at, expires_at)
    values (${request.uid}, ${partnerId}, ${request.addressUid}, ${request.status}, ${request.createdAt},
            ${request.expiresAt})`)
}

const requestColumns = sql`uid, address_uid as "addressUid", status, created_at as "createdAt", expires_at as "expiresAt"`

/** Finds the partner's request with this uid, unless it has expired. */
export async function findAvailabilityRequest(
  db: Queryable,
  partnerId: Id<'partner'>,
  uid: string,
  now: Date,
): Promise<AvailabilityRequest | undefined> {
  const [request] = await db.query<AvailabilityRequest>(sql`
    select ${requestColumns} from availability_requests
    where uid = ${uid} and partner_id = ${partnerId} and expires_at > ${now}`)
  return request
}

/** The partner's availability request for a property; if there are several, the one that expires last. */
export async function findAvailabilityRequestForProperty(
  db: Queryable,
  partnerId: Id<'partner'>,
  addressUid: string,
  now: Date,
): Promise<AvailabilityRequest | undefined> {
  const [request] = await db.query<AvailabilityRequest>(sql`
    select ${requestColumns} from availability_requests
    where partner_id = ${partnerId} and address_uid = ${addressUid} and expires_at > ${now}
    order by expires_at desc, uid desc limit 1`)
  return request
}

/** Whether an earlier check of the property counted towards the partner's limit, so that another one does not. */
export async function hasChargedCheck(
  db: Queryable,
  partnerId: Id<'partner'>,
  addressUid: string,
  now: Date,
): Promise<boolean> {
  const [charged] = await db.query(sql`
    select from availability_requests
    where partner_id = ${partnerId} and address_uid = ${addressUid} and expires_at > ${now} and is_charged limit 1`)
  return charged !== undefined
}

export async function completeAvailabilityRequest(
  tx: Tx,
  partnerId: Id<'partner'>,
  uid: string,
  { isCharged }: { isCharged: boolean },
): Promise<void> {
  await tx.query(sql`
    update availability_requests set status = 'completed', is_charged = is_charged or ${isCharged}
    where uid = ${uid} and partner_id = ${partnerId} and (status = 'pending' or is_charged < ${isCharged})`)
}

/** Makes the partner's next check of the property count towards its limit. */
export async function clearChargedChecks(tx: Tx, partnerId: Id<'partner'>, addressUid: string): Promise<void> {
  await tx.query(sql`
    update availability_requests set is_charged = false
    where partner_id = ${partnerId} and address_uid = ${addressUid} and is_charged`)
}

/**
 * The upstreams' responses about a property in the 24 hours before `now`. Skips responses dated after `now`. They were
 * stored while another partner's sandbox clock was ahead, and would otherwise stay valid for years.
 */
export async function findCachedResponses(db: Queryable, addressUid: string, now: Date): Promise<CachedResponses> {
  const rows = await db.query<
    | { upstream: 'home-telecom'; response: BroadbandProduct[] }
    | { upstream: 'broadband-database'; response: BroadbandRecord }
  >(sql`
    select upstream, response from broadband_responses
    where address_uid = ${addressUid}
      and responded_at > ${dayBefore(now)}
      and responded_at <= ${new Date(now.getTime() + clockSkewMs)}`)
  const known: CachedResponses = {}
  for (const row of rows) {
    if (row.upstream === 'home-telecom') known.products = row.response
    else known.line = row.response
  }
  return known
}

/** Stores the upstreams' responses, replacing earlier ones. */
export async function upsertCachedResponses(
  tx: Tx,
  addressUid: string,
  responses: CachedResponses,
  respondedAt: Date,
): Promise<void> {
  const rows = [
    ['broadband-database', responses.line],
    ['home-telecom', responses.products],
  ] as const
  for (const [upstream, response] of rows) {
    if (response === undefined) continue
    await tx.query(sql`
      insert into broadband_responses (address_uid, upstream, response, responded_at)
      values (${addressUid}, ${upstream}, ${JSON.stringify(response)}::jsonb, ${respondedAt})
      on conflict (address_uid, upstream) do update set response = excluded.response,
      responded_at = excluded.responded_at`)
  }
}

/**
 * Deletes requests and responses that have expired in real time. Anything that has expired in real time has
 * expired for every partner, because sandbox clocks only run ahead. Deliberately covers all partners. Returns how many
 * rows it deleted.
 */
export async function deleteExpiredBroadbandData(db: Queryable, now: Date): Promise<number> {
  const [gone] = await db.query<{ rows: number }>(sql`
    with requests as (delete from availability_requests
                       where expires_at <= ${now} and expires_at > '-infinity' returning 1),
         responses as (delete from broadband_responses where responded_at <= ${dayBefore(now)} returning 1)
    select ((select count(*) from requests) + (select count(*) from responses))::int as rows`)
  return gone?.rows ?? 0
}
