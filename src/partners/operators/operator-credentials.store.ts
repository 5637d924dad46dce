import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { isSealed, type Sealer, sealOf } from '../credential-seal.ts'
import { type OperatorScope, operatorScopes } from './operator-scopes.ts'

/** Credentials of a program of the operator's. */
export interface OperatorCredential {
  clientId: string
  name: string
  secretHash: string
  scopes: OperatorScope[]
  createdAt: Date
  /** When the secret and its tokens stop working; null if never. */
  expiresAt: Date | null
  /** The addresses and CIDR ranges from which the credential may be used; null if it may be used from anywhere. */
  allowedFrom: readonly string[] | null
  /** The last day in UTC (`YYYY-MM-DD`) on which a token was issued. */
  lastTokenOn: string | null
  disabledAt: Date | null
}

const columns = sql`client_id as "clientId", name, secret_hash as "secretHash", scopes,
  created_at as "createdAt", expires_at as "expiresAt", allowed_from as "allowedFrom", last_token_on::text as "lastTokenOn",
  disabled_at as "disabledAt"`

/** The credentials; undefined for those that this deployment did not make. */
export async function findOperatorCredential(
  system: Queryable,
  sealer: Sealer,
  clientId: string,
): Promise<OperatorCredential | undefined> {
  const [row] = await system.query<OperatorCredential & { seal: string }>(
    sql`select ${columns}, seal from operator_credentials where client_id = ${clientId}`,
  )
  if (row === undefined || !isSealed(sealer, { ...row, partnerId: null })) return undefined
  const { seal: _, ...credential } = row
  return credential
}

/** Every credential, oldest first. */
export function listOperatorCredentials(system: Queryable): Promise<OperatorCredential[]> {
  return system.query<OperatorCredential>(
    sql`select ${columns} from operator_credentials order by created_at, client_id`,
  )
}

export async function insertOperatorCredential(
  system: Queryable,
  sealer: Sealer,
  credential: Pick<
    OperatorCredential,
    'clientId' | 'name' | 'secretHash' | 'createdAt' | 'expiresAt' | 'allowedFrom'
  > & {
    scopes: readonly OperatorScope[]
  },
): Promise<void> {
  const { clientId, name, secretHash, scopes, createdAt, expiresAt, allowedFrom } = credential
  const seal = sealOf(sealer, { clientId, partnerId: null, scopes, secretHash })
  await system.query(sql`
    insert into operator_credentials (client_id, name, secret_hash, scopes, created_at, expires_at, allowed_from, seal)
    values (${clientId}, ${name}, ${secretHash}, ${scopes}, ${createdAt}, ${expiresAt}, ${allowedFrom}, ${seal})`)
}

/**
 * When the last of the credentials that have every scope expires, or has expired. Undefined if one of them never does,
 * or none is left that was not disabled.
 */
export async function findEndOfFullAccess(system: Queryable): Promise<Date | undefined> {
  const [row] = await system.query<{ endsAt: Date }>(sql`
    select max(expires_at) as "endsAt" from operator_credentials
     where disabled_at is null and scopes @> ${operatorScopes}::text[] having bool_and(expires_at is not null)`)
  return row?.endsAt
}

/**
 * Disables credentials for ever. Returns false if they are unknown; disabling them again keeps the time of the first
 * call.
 */
export async function markOperatorDisabled(system: Queryable, clientId: string, now: Date): Promise<boolean> {
  const rows = await system.query(sql`
    update operator_credentials set disabled_at = coalesce(disabled_at, ${now}) where client_id = ${clientId}
     returning 1`)
  return rows.length === 1
}

/** Records the day on which a token was issued; `day` is `YYYY-MM-DD` in UTC. */
export async function updateOperatorTokenDate(system: Queryable, clientId: string, day: string): Promise<void> {
  await system.query(sql`
    update operator_credentials set last_token_on = ${day}
     where client_id = ${clientId} and (last_token_on is null or last_token_on < ${day})`)
}

/** A request with an `Idempotency-Key`, by hash, and the id of what it makes or changes. */
interface OperatorRequestRecord {
  keyHash: string
  requestHash: string
  subjectId: string
}

/**
 * Stores the request unless its key was used before, and returns what is stored with the key. Waits for a transaction
 * that is storing the same key.
 */
export async function storeRequest(
  tx: Tx,
  { keyHash, requestHash, subjectId }: OperatorRequestRecord,
  now: Date,
): Promise<{ isNew: boolean; stored: OperatorRequestRecord }> {
  const inserted = await tx.query(sql`
    insert into operator_requests (request_key_sha256, request_sha256, subject_id, created_at)
    values (${keyHash}, ${requestHash}, ${subjectId}, ${now})
    on conflict do nothing returning 1`)
  const [stored] = await tx.query<OperatorRequestRecord>(sql`
    select request_key_sha256 as "keyHash", request_sha256 as "requestHash", subject_id as "subjectId"
      from operator_requests where request_key_sha256 = ${keyHash}`)
  if (stored === undefined) throw new Error('the request is not stored')
  return { isNew: inserted.length === 1, stored }
}
