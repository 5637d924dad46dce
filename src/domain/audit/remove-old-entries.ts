import type { Databases } from '../../db/databases.ts'
import { deleteOldAuditEntries } from './audit-log.store.ts'

/** Deletes entries older than six years, for all partners; returns how many. */
export function removeOldAuditEntries({ databases }: { databases: Databases }): Promise<number> {
  return deleteOldAuditEntries(databases.system)
}
