import type { Database } from '../../db/database.ts'
import { listPartners, type Partner } from './partners.store.ts'

/** `housebill partner list`: every partner with its client ids, oldest first. Never a secret, nor the hash of one. */
export function listAllPartners({ db }: { db: Database }): Promise<(Partner & { clientIds: string[] })[]> {
  return listPartners(db)
}
