import type { Database } from '../platform/db/database.ts'
import { type Credential, updateLastTokenDate } from './partners.store.ts'

/**
 * Records that the credentials were used today (UTC), so that the operator can find unused ones. Writes at most once a
 * day.
 */
export async function recordLastTokenDay(db: Database, credential: Credential, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10)
  if (credential.lastTokenOn === null || credential.lastTokenOn < today)
    await updateLastTokenDate(db, credential, today)
}
