import type { Databases } from '../../db/databases.ts'
import { deleteOldAuditEntries } from './audit-log.store.ts'

/** Deletes the entries of all partners that are older than six years. Returns how many it deleted. */
export function removeOldAuditEntries({ databases }: { databases: Databases }): Promise<number> {
  return deleteOldAuditEntries(databases.system)
}
