import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

export interface StoredProgramSession {
  sessionHash: string
  clientId: string
  tokenEncrypted: string
  expiresAt: Date
}

export async function insertProgramSession(db: Queryable, session: StoredProgramSession): Promise<void> {
  await db.query(sql`
    insert into program_sessions (session_hash, client_id, token_encrypted, expires_at)
    values (${session.sessionHash}, ${session.clientId}, ${session.tokenEncrypted}, ${session.expiresAt})`)
}

/** Finds a session that has not expired. */
export async function findProgramSession(
  db: Queryable,
  sessionHash: string,
  now: Date,
): Promise<StoredProgramSession | undefined> {
  const [row] = await db.query<StoredProgramSession>(sql`
    select session_hash as "sessionHash", client_id as "clientId", token_encrypted as "tokenEncrypted",
           expires_at as "expiresAt"
      from program_sessions where session_hash = ${sessionHash} and expires_at > ${now}`)
  return row
}

export async function deleteProgramSession(db: Queryable, sessionHash: string): Promise<void> {
  await db.query(sql`delete from program_sessions where session_hash = ${sessionHash}`)
}

/** Returns how many it deleted. */
export async function deleteExpiredProgramSessions(db: Queryable, now: Date): Promise<number> {
  const rows = await db.query(sql`
    delete from program_sessions where expires_at <= ${now} and expires_at > '-infinity' returning 1`)
  return rows.length
}
