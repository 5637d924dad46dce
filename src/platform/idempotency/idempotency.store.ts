import type { Queryable, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Id } from '../kernel/ids.ts'

/** The state of an idempotency key after a request has tried to claim it. */
export interface IdempotencyKeyState {
  /** Whether this request now owns the key. */
  claimed: boolean
  /** The stored hash of the request. A claim that continues a lapsed one keeps its hash. */
  requestHash: string
  responseEncrypted: string | null
  claimedUntil: Date
}

/**
 * Tries to claim the key for this request, in one statement. Succeeds if the key is new or has expired, or if an
 * earlier claim by the same request lapsed before a response was stored. Otherwise returns the stored state.
 */
export async function claimKey(
  db: Queryable,
  claim: {
    partnerId: Id<'partner'>
    key: string
    /** Every hash under which this request may be stored; the first one is used for a new claim. */
    requestHashes: readonly [string, ...string[]]
    claimId: string
    now: Date
    claimedUntil: Date
    expiresAt: Date
  },
): Promise<IdempotencyKeyState> {
  const [row] = await db.query<IdempotencyKeyState>(sql`
    with claim as (
      insert into idempotency_keys (partner_id, key, request_sha256, claim_id, claimed_until, created_at, expires_at)
      values (${claim.partnerId}, ${claim.key}, ${claim.requestHashes[0]}, ${claim.claimId}, ${claim.claimedUntil},
              ${claim.now}, ${claim.expiresAt})
      on conflict (key, partner_id) do update
        set request_sha256 = case when idempotency_keys.expires_at <= ${claim.now} then excluded.request_sha256
                                  else idempotency_keys.request_sha256
                                  end, claim_id = excluded.claim_id, claimed_until = excluded.claimed_until,
            response_encrypted = null, subject_id = null, created_at = excluded.created_at,
            expires_at = excluded.expires_at
        where idempotency_keys.expires_at <= ${claim.now}
           or (idempotency_keys.response_encrypted is null and idempotency_keys.claimed_until <= ${claim.now}
               and idempotency_keys.request_sha256 = any(${claim.requestHashes}::text[]))
      returning request_sha256)
    select true as claimed, request_sha256 as "requestHash", null as "responseEncrypted",
           ${claim.claimedUntil}::timestamptz as "claimedUntil"
      from claim
    union all
    select false, request_sha256, response_encrypted, claimed_until
      from idempotency_keys
     where partner_id = ${claim.partnerId} and key = ${claim.key} and not exists (select from claim)`)
  // No row means that another request, which is still in progress, inserted the key after this statement's snapshot.
  return (
    row ?? {
      claimed: false,
      requestHash: claim.requestHashes[0],
      responseEncrypted: null,
      claimedUntil: claim.claimedUntil,
    }
  )
}

/** Prolongs the claim if this request still owns the key. */
export async function renewClaim(
  db: Queryable,
  claim: { partnerId: Id<'partner'>; key: string; claimId: string; claimedUntil: Date },
): Promise<void> {
  await db.query(sql`
    update idempotency_keys set claimed_until = ${claim.claimedUntil}
     where partner_id = ${claim.partnerId} and key = ${claim.key} and claim_id = ${claim.claimId}
       and response_encrypted is null`)
}

/** Stores the response if this request still owns the key. Returns whether it was stored. */
export async function storeResponse(
  db: Queryable,
  response: { partnerId: Id<'partner'>; key: string; claimId: string; responseEncrypted: string; subjectId: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    update idempotency_keys set response_encrypted = ${response.responseEncrypted}, subject_id = ${response.subjectId}
     where partner_id = ${response.partnerId} and key = ${response.key} and claim_id = ${response.claimId}
       and response_encrypted is null
    returning 1`)
  return rows.length === 1
}

/** Deletes the stored responses about these quotes and customers. */
export async function deleteResponsesAbout(
  tx: Tx,
  partnerId: Id<'partner'>,
  subjectIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from idempotency_keys
     where partner_id = ${partnerId} and subject_id > '' and subject_id = any(${subjectIds}::text[]) and response_encrypted is not null`)
}

/** Releases the key after an error response, because only 2xx responses are stored. */
export async function releaseKey(
  db: Queryable,
  claim: { partnerId: Id<'partner'>; key: string; claimId: string },
): Promise<void> {
  await db.query(sql`
    delete from idempotency_keys
     where partner_id = ${claim.partnerId} and key = ${claim.key} and claim_id = ${claim.claimId}
       and response_encrypted is null`)
}

/**
 * Deletes about `batch` of the keys that are older than seven days, the oldest first: more only if they end at the same
 * time as the last. Returns how many. The array makes PostgreSQL use the index on the end, whatever it knows of the
 * table.
 */
export async function deleteExpiredIdempotencyKeys(db: Queryable, now: Date, batch: number): Promise<number> {
  const rows = await db.query(sql`
    delete from idempotency_keys
     where expires_at = any(array(select expires_at from idempotency_keys where expires_at <= ${now} order by expires_at
                                  limit ${batch}))
    returning 1`)
  return rows.length
}
