import type { Databases } from '../../db/databases.ts'
import { sealAuditLog } from './audit-seals.store.ts'

/**
 * Seals all new entries whose transactions have ended, unless another process is doing so. Returns how many it sealed. Stops early after
 * an abort.
 */
export async function sealNewEntries({ databases }: { databases: Databases }, signal: AbortSignal): Promise<number> {
  let sealed = 0
  while (!signal.aborted) {
    const count = await sealAuditLog(databases.system)
    if (count === 0) break
    sealed += count
  }
  return sealed
}
