import type { Database } from '../../db/database.ts'
import { type Credential, updateLastTokenOn } from './partners.store.ts'

/** Records that the credentials were used today (UTC), so that the operator can find unused ones. Writes at most once a day. */
export async function recordLastTokenDay(db: Database, credential: Credential, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10)
  if (credential.lastTokenOn === null || credential.lastTokenOn < today) await updateLastTokenOn(db, credential, today)
}
