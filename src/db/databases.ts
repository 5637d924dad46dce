import type { Pool } from 'pg'
import type { Origin } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { createDatabase, type Database } from './database.ts'
import { appRole, systemRole } from './runtime-roles.ts'

/**
 * The connections to the database, each with the rights it needs. They share one pool: a transaction gets its role and partner when
 * it begins and loses both when it ends, so nothing carries over to the next user of a connection, even behind a connection pooler.
 */
export interface Databases {
  /** Sees only this partner's rows and the data shared by all partners, whatever the statement says. */
  forPartner(partnerId: string, origin?: Origin): Database
  /** Sees only data shared by all partners (properties, rate cards, stored upstream responses about a property), and no partner's rows. */
  shared: Database
  /** Sees all partners' rows, but only the columns and commands that are needed across partners. */
  system: Database
}

/** `origin` is what the audit log records for a partner's changes if `forPartner` is called without an origin. */
export function createDatabases(pool: Pool, origin?: Origin): Databases {
  const commits = new CommitSignal()
  const forPartner = (partnerId: string, ofCall: Origin | undefined = origin) =>
    createDatabase(pool, { role: appRole, partnerId, origin: ofCall }, commits)
  return {
    forPartner,
    shared: forPartner(''),
    system: createDatabase(pool, { role: systemRole, partnerId: '', origin }, commits),
  }
}
