import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Scope } from '../scopes.ts'
import { deleteProgramSession, findProgramSession, insertProgramSession } from './program-sessions.store.ts'

/** The scopes that a session keeps of those that its credentials have. It opens no operation that needs another. */
export const sessionScopes: readonly Scope[] = ['webhooks:manage', 'sandbox:steer']

/** A session of a program's credentials lasts an hour at most. */
export const programSessionSeconds = 3_600

interface ProgramSession {
  clientId: string
  accessToken: string
  expiresAt: Date
}

/**
 * The sessions that somebody began with the credentials of a program, in the database: a session that ends has ended in
 * every process at once.
 */
export interface ProgramSessions {
  /** Begins a session and returns its id, a secret that only the browser keeps. */
  start(token: { clientId: string; accessToken: string; lifetimeSeconds: number }): Promise<{
    id: string
    lifetimeSeconds: number
  }>
  find(id: string): Promise<ProgramSession | undefined>
  end(id: string): Promise<void>
}

export function createProgramSessions({
  db,
  cipher,
  clock,
}: {
  db: Database
  cipher: FieldCipher
  clock: Clock
}): ProgramSessions {
  const locationOf = (sessionHash: string) => ({ column: 'program_sessions.token', row: sessionHash })
  return {
    async start({ clientId, accessToken, lifetimeSeconds: tokenSeconds }) {
      const id = randomBytes(32).toString('base64url')
      const sessionHash = hashOf(id)
      const tokenEncrypted = cipher.encrypt(accessToken, locationOf(sessionHash))
      const lifetimeSeconds = Math.min(tokenSeconds, programSessionSeconds)
      const expiresAt = new Date(clock.now().getTime() + lifetimeSeconds * 1000)
      await insertProgramSession(db, { sessionHash, clientId, tokenEncrypted, expiresAt })
      return { id, lifetimeSeconds }
    },
    async find(id) {
      const sessionHash = hashOf(id)
      const stored = await findProgramSession(db, sessionHash, clock.now())
      if (stored === undefined) return undefined
      const { clientId, tokenEncrypted, expiresAt } = stored
      return { clientId, expiresAt, accessToken: cipher.decrypt(tokenEncrypted, locationOf(sessionHash)).toString() }
    },
    end: (id) => deleteProgramSession(db, hashOf(id)),
  }
}

/** An id has 256 random bits, so a plain hash cannot be reversed. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
