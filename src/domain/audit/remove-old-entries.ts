import type { Databases } from '../../db/databases.ts'
import { deleteOldAuditEntries } from './audit-log.store.ts'

/** Removes entries older than six years, of all partners; returns how many. */
export function removeOldAuditEntries({ databases }: { databases: Databases }): Promise<number> {
  return deleteOldAuditEntries(databases.system)
}
