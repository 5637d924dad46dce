import type { Pool } from 'pg'
import type { Origin } from './access.ts'
import { CommitSignal, createDatabase, type Database } from './database.ts'

/**
 * The connections to the database, each with the rights it needs. A transaction gets its partner when it begins and
 * loses it when it ends, so nothing carries over to the next user of a connection, even behind a connection pooler.
 */
export interface Databases {
  /** Sees only this partner's rows and the data shared by all partners, whatever the statement says. */
  forPartner(partnerId: string, origin?: Origin): Database
  /**
   * Sees only data shared by all partners (properties, rate cards, stored upstream responses about a property), and no
   * partner's rows.
   */
  shared: Database
  /** Sees all partners' rows. */
  system: Database
  /** `system`, for what the operator does: the audit log records `origin`. */
  forSystem(origin: Origin): Database
}

/** One pool for each runtime role: its login has the rights of this role only. */
export interface Pools {
  app: Pool
  system: Pool
}

/** `origin` is what the audit log records if a call gives no origin of its own. */
export function createDatabases({ app, system }: Pools, origin?: Origin): Databases {
  const commits = new CommitSignal()
  return {
    forPartner: (partnerId, ofCall = origin) => createDatabase(app, { partnerId, origin: ofCall }, commits),
    shared: createDatabase(app, undefined, commits),
    system: createDatabase(system, { origin }, commits),
    forSystem: (ofCall) => createDatabase(system, { origin: ofCall }, commits),
  }
}
