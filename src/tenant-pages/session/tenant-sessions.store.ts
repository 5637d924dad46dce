import type { TenantMailKindName, TenantMailOutcome } from '../../contracts/mails/tenant-mail-kinds.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** A session as stored. Its times are on the partner's clock. */
export interface StoredSession {
  revision: number
  isConfirmed: boolean
  codeExpiresAt: Date | null
  codeTries: number
}

interface SessionKey {
  partnerId: Id<'partner'>
  sessionHash: string
}

interface SessionOfCustomer extends SessionKey {
  customerId: Id<'tenant'>
  now: Date
}

/** Stores a new session of a customer. */
export async function insertSession(
  tx: Tx,
  session: SessionKey & { customerId: Id<'tenant'>; revision: number; isConfirmed: boolean; expiresAt: Date },
): Promise<void> {
  const { sessionHash, partnerId, customerId, revision, isConfirmed, expiresAt } = session
  await tx.query(sql`
    insert into tenant_sessions (session_hash, partner_id, customer_id, revision, is_confirmed, expires_at)
    values (${sessionHash}, ${partnerId}, ${customerId}, ${revision}, ${isConfirmed}, ${expiresAt})`)
}

/** Lets a session of this revision that has not expired go on until `expiresAt`. Returns false if there is none. */
export async function prolongSession(
  tx: Tx,
  { partnerId, sessionHash, customerId, revision, now }: SessionOfCustomer & { revision: number },
  expiresAt: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update tenant_sessions set expires_at = ${expiresAt}
     where partner_id = ${partnerId} and session_hash = ${sessionHash} and customer_id = ${customerId}
       and revision = ${revision} and expires_at > ${now} returning 1`)
  return rows.length === 1
}

/** The customer's session with this hash that has not expired; undefined if there is none. */
export function findSession(db: Queryable, session: SessionOfCustomer): Promise<StoredSession | undefined> {
  return selectSession(db, session, empty)
}

/** The same, with its row locked until the transaction ends. */
export function findSessionForUpdate(tx: Tx, session: SessionOfCustomer): Promise<StoredSession | undefined> {
  return selectSession(tx, session, sql`for update`)
}

async function selectSession(
  db: Queryable,
  { partnerId, sessionHash, customerId, now }: SessionOfCustomer,
  lock: Sql,
): Promise<StoredSession | undefined> {
  const [row] = await db.query<StoredSession>(sql`
    select revision, is_confirmed as "isConfirmed", code_expires_at as "codeExpiresAt", code_tries as "codeTries"
      from tenant_sessions
     where partner_id = ${partnerId} and session_hash = ${sessionHash} and customer_id = ${customerId}
       and expires_at > ${now} ${lock}`)
  return row
}

/** Records that a code is e-mailed now, which takes the place of any earlier one. */
export async function storeCode(tx: Tx, { partnerId, sessionHash }: SessionKey, codeExpiresAt: Date): Promise<void> {
  await tx.query(sql`
    update tenant_sessions set code_expires_at = ${codeExpiresAt}, code_tries = 0
     where partner_id = ${partnerId} and session_hash = ${sessionHash}`)
}

/**
 * What became of the customer's e-mail of this kind that was written then: how it ended, or that it has not been sent
 * yet; undefined if none was written.
 */
export async function findMailOutcome(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  { kind, createdAt }: { kind: TenantMailKindName; createdAt: Date },
): Promise<TenantMailOutcome | 'pending' | undefined> {
  const [row] = await db.query<{ outcome: TenantMailOutcome | 'pending' }>(sql`
    select coalesce(outcome, 'pending') as outcome from tenant_mails
     where partner_id = ${partnerId} and customer_id = ${customerId} and kind = ${kind}
       and created_at = ${createdAt}
     order by mail_id desc limit 1`)
  return row?.outcome
}

/** Counts a code that was entered, and confirms the session if it was right. The caller holds the row's lock. */
export async function recordTry(tx: Tx, { partnerId, sessionHash }: SessionKey, isRight: boolean): Promise<void> {
  await tx.query(sql`
    update tenant_sessions set is_confirmed = is_confirmed or ${isRight}, code_tries = code_tries + 1
     where partner_id = ${partnerId} and session_hash = ${sessionHash}`)
}

export async function deleteSession(tx: Tx, { partnerId, sessionHash }: SessionKey): Promise<void> {
  await tx.query(sql`delete from tenant_sessions where partner_id = ${partnerId} and session_hash = ${sessionHash}`)
}

/** Deletes up to `limit` of the sessions that ended before `before`, of all partners. Returns how many. */
export async function deleteExpiredSessions(system: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await system.query(sql`
    delete from tenant_sessions
     where ctid = any(array(select ctid from tenant_sessions where expires_at < ${before} and expires_at > '-infinity'
                             limit ${limit}))
    returning 1`)
  return rows.length
}
