import type { Pool } from 'pg'
import type { Origin } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { createDatabase, type Database } from './database.ts'
import { appRole, systemRole } from './runtime-roles.ts'

/**
 * The connections to the database, each with the rights it needs. They share one pool: a transaction takes on its role and partner
 * when it begins and loses both when it ends, so nothing carries over on a connection, even behind a pooler.
 */
export interface Databases {
  /** One partner's rows only, whatever the statement says, plus data shared by all partners. */
  forPartner(partnerId: string, origin?: Origin): Database
  /** Only data shared by all partners (properties, rate cards, stored upstream responses about a property); no partner's rows. */
  shared: Database
  /** Work across partners, limited to the columns and commands it needs. */
  system: Database
}

/** `origin` is the default for the audit log when `forPartner` gets none. */
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
