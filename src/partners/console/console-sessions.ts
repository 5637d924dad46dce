import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Scope } from '../scopes.ts'
import { deleteConsoleSession, findConsoleSession, insertConsoleSession } from './console-sessions.store.ts'

/** The only scope that the console uses. Its sessions open no operation that needs another. */
export const consoleScope: Scope = 'webhooks:manage'

/** A session of the console lasts an hour at most. */
export const consoleSessionSeconds = 3_600

export interface ConsoleSession {
  clientId: string
  accessToken: string
  expiresAt: Date
}

/** The sessions of the web console, in the database: a session that ends has ended in every process at once. */
export interface ConsoleSessions {
  /** Begins a session and returns its id, a secret that only the browser keeps. */
  start(token: { clientId: string; accessToken: string; lifetimeSeconds: number }): Promise<{
    id: string
    lifetimeSeconds: number
  }>
  find(id: string): Promise<ConsoleSession | undefined>
  end(id: string): Promise<void>
}

export function createConsoleSessions({
  db,
  cipher,
  clock,
}: {
  db: Database
  cipher: FieldCipher
  clock: Clock
}): ConsoleSessions {
  const locationOf = (sessionHash: string) => ({ column: 'console_sessions.token', row: sessionHash })
  return {
    async start({ clientId, accessToken, lifetimeSeconds: tokenSeconds }) {
      const id = randomBytes(32).toString('base64url')
      const sessionHash = hashOf(id)
      const tokenEncrypted = cipher.encrypt(accessToken, locationOf(sessionHash))
      const lifetimeSeconds = Math.min(tokenSeconds, consoleSessionSeconds)
      const expiresAt = new Date(clock.now().getTime() + lifetimeSeconds * 1000)
      await insertConsoleSession(db, { sessionHash, clientId, tokenEncrypted, expiresAt })
      return { id, lifetimeSeconds }
    },
    async find(id) {
      const sessionHash = hashOf(id)
      const stored = await findConsoleSession(db, sessionHash, clock.now())
      if (stored === undefined) return undefined
      const { clientId, tokenEncrypted, expiresAt } = stored
      return { clientId, expiresAt, accessToken: cipher.decrypt(tokenEncrypted, locationOf(sessionHash)).toString() }
    },
    end: (id) => deleteConsoleSession(db, hashOf(id)),
  }
}

/** An id has 256 random bits, so a plain hash cannot be reversed. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
