import type { Pool } from 'pg'
import type { Origin } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { createDatabase, type Database } from './database.ts'
import { appRole, systemRole } from './runtime-roles.ts'

/**
 * The ways to the deployment's database, each with the rights it needs. They share one pool: a transaction takes its role
 * and its partner when it begins and loses both when it ends, so that a connection, also a pooler's, carries nothing over.
 */
export interface Databases {
  /** One partner's rows, and nobody else's, whatever a statement asks for. Beside them the facts that all partners share. */
  forPartner(partnerId: string, origin?: Origin): Database
  /** Only the facts that all partners share (homes, rate cards, answers about a home); finds nothing of any partner. */
  shared: Database
  /** What goes across partners, in the columns and commands that needs. */
  system: Database
}

/** `origin` is who changes something where `forPartner` is not told otherwise. */
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
