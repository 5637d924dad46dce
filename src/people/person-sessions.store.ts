import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { empty, sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Person } from './people.store.ts'

/** A session of a person in one browser. */
export interface PersonSession {
  sessionId: Id<'session'>
  /** Whether the mailbox to which the code was sent was others' too. */
  isSharedMailbox: boolean
  /** What the browser calls itself. */
  browser: string
  signedInAt: Date
  lastSeenAt: Date
}

interface Times {
  now: Date
  /** Sessions that were not used since then have ended. */
  usedAfter: Date
}

const columns = sql`s.session_id as "sessionId", s.is_shared_mailbox as "isSharedMailbox", s.browser,
  s.signed_in_at as "signedInAt", s.last_seen_at as "lastSeenAt"`

/** Stores a new session, and that the person is active and was seen. Returns false if they were removed. */
export async function insertPersonSession(
  tx: Tx,
  { personId, partnerId }: Pick<Person, 'personId' | 'partnerId'>,
  session: PersonSession & { sessionHash: string; expiresAt: Date },
): Promise<boolean> {
  const { sessionHash, sessionId, isSharedMailbox, browser, signedInAt, lastSeenAt, expiresAt } = session
  const rows = await tx.query(sql`
    update people set state = 'active', last_seen_at = ${lastSeenAt}
     where partner_id = ${partnerId} and person_id = ${personId} and state <> 'removed' returning 1`)
  if (rows.length === 0) return false
  await tx.query(sql`
    insert into person_sessions (session_hash, session_id, partner_id, person_id, is_shared_mailbox, browser,
                                 signed_in_at, last_seen_at, expires_at)
    values (${sessionHash}, ${sessionId}, ${partnerId}, ${personId}, ${isSharedMailbox}, ${browser}, ${signedInAt},
            ${lastSeenAt}, ${expiresAt})`)
  return true
}

/** The session with this hash, of the operator's people or of a partner's that is not disabled; undefined if it ended. */
export async function findPersonSession(
  system: Queryable,
  sessionHash: string,
  { isOperators, now, usedAfter }: Times & { isOperators: boolean },
): Promise<(PersonSession & Pick<Person, 'personId'>) | undefined> {
  const whose = isOperators
    ? sql`s.partner_id = ${operatorAccountId}`
    : sql`s.partner_id <> ${operatorAccountId}
          and exists (select from partners p where p.partner_id = s.partner_id and p.disabled_at is null)`
  const [row] = await system.query<PersonSession & Pick<Person, 'personId'>>(sql`
    select s.person_id as "personId", ${columns} from person_sessions s
     where s.session_hash = ${sessionHash} and s.expires_at > ${now} and s.last_seen_at > ${usedAfter} and ${whose}`)
  return row
}

/** Records that the person is here, unless that was recorded in the last minute. */
export async function recordSeen(
  system: Queryable,
  { personId, partnerId }: Pick<Person, 'personId' | 'partnerId'>,
  { sessionId }: Pick<PersonSession, 'sessionId'>,
  now: Date,
): Promise<void> {
  await system.query(sql`
    with seen as (
      update person_sessions set last_seen_at = ${now}
       where partner_id = ${partnerId} and person_id = ${personId} and session_id = ${sessionId}
         and last_seen_at < ${now}::timestamptz - interval '1 minute' returning person_id)
    update people p set last_seen_at = ${now} from seen
     where p.partner_id = ${partnerId} and p.person_id = seen.person_id`)
}

/** The person's sessions that have not ended, the latest first. */
export function listPersonSessions(
  db: Queryable,
  { personId, partnerId }: Pick<Person, 'personId' | 'partnerId'>,
  { now, usedAfter }: Times,
): Promise<PersonSession[]> {
  return db.query<PersonSession>(sql`
    select ${columns} from person_sessions s
     where s.person_id = ${personId} and s.partner_id = ${partnerId} and s.expires_at > ${now}
       and s.last_seen_at > ${usedAfter}
     order by s.signed_in_at desc, s.session_id`)
}

/** Ends a person's sessions, or only one. */
export async function deletePersonSessions(
  tx: Queryable,
  { personId, partnerId }: Pick<Person, 'personId' | 'partnerId'>,
  sessionId?: string,
): Promise<void> {
  const only = sessionId === undefined ? empty : sql`and session_id = ${sessionId}`
  await tx.query(sql`delete from person_sessions where person_id = ${personId} and partner_id = ${partnerId} ${only}`)
}

/** Deletes the sessions that have expired. Returns how many. */
export async function deleteExpiredPersonSessions(system: Queryable, now: Date): Promise<number> {
  const rows = await system.query(
    sql`delete from person_sessions where expires_at <= ${now} and expires_at > '-infinity' returning 1`,
  )
  return rows.length
}

/** What a sign-in that has begun waits for. */
export interface PendingContent {
  /** The code that was e-mailed; null once it was entered and its reader has to say who they are. */
  code: { email: string; code: string | null }
  /** What the identity provider's response must match, and where the person wanted to go. */
  provider: { state: string; nonce: string; verifier: string; maxAgeSeconds: number; next: string }
  link: { personId: Id<'person'> }
}
type Kind = keyof PendingContent

const locationOf = (secretHash: string) => ({ column: 'pending_sign_ins.content', row: secretHash })
const seal = (cipher: FieldCipher, secretHash: string, content: PendingContent[Kind]) =>
  cipher.encrypt(JSON.stringify(content), locationOf(secretHash))

export async function insertPending<K extends Kind>(
  db: Queryable,
  cipher: FieldCipher,
  pending: { secretHash: string; kind: K; content: PendingContent[K]; expiresAt: Date },
): Promise<void> {
  const { secretHash, kind, content, expiresAt } = pending
  await db.query(sql`
    insert into pending_sign_ins (secret_hash, kind, content_encrypted, expires_at)
    values (${secretHash}, ${kind}, ${seal(cipher, secretHash, content)}, ${expiresAt})`)
}

/** The sign-in with this secret, whose row is locked; undefined if it has expired, was used or never began. */
export async function findPendingForUpdate<K extends Kind>(
  tx: Tx,
  cipher: FieldCipher,
  { secretHash, kind, now }: { secretHash: string; kind: K; now: Date },
): Promise<{ content: PendingContent[K]; tries: number } | undefined> {
  const [row] = await tx.query<{ content: string; tries: number }>(sql`
    select content_encrypted as content, tries from pending_sign_ins
     where secret_hash = ${secretHash} and kind = ${kind} and expires_at > ${now} for update`)
  if (row === undefined) return undefined
  const content = cipher.decrypt(row.content, locationOf(secretHash)).toString('utf8')
  return { content: JSON.parse(content) as PendingContent[K], tries: row.tries }
}

/** Counts a code that was entered, and stores what the sign-in waits for now. */
export async function recordCodeTry(
  tx: Tx,
  cipher: FieldCipher,
  secretHash: string,
  content: PendingContent['code'],
): Promise<void> {
  await tx.query(sql`
    update pending_sign_ins set tries = tries + 1, content_encrypted = ${seal(cipher, secretHash, content)}
     where secret_hash = ${secretHash}`)
}

export async function deletePending(tx: Tx, secretHash: string): Promise<void> {
  await tx.query(sql`delete from pending_sign_ins where secret_hash = ${secretHash}`)
}

/** Deletes the sign-ins that were not finished in time. Returns how many. */
export async function deleteExpiredSignIns(db: Queryable, now: Date): Promise<number> {
  const rows = await db.query(
    sql`delete from pending_sign_ins where expires_at <= ${now} and expires_at > '-infinity' returning 1`,
  )
  return rows.length
}
