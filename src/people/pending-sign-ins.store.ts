import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'

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
