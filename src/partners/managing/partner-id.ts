import type { Queryable } from '../../platform/db/database.ts'
import { findCredential } from '../partners.store.ts'

/** The id of a partner that is named by its id or by one of its client ids, as commands name it. */
export async function partnerIdOf(system: Queryable, idOrClientId: string): Promise<string> {
  return (await findCredential(system, idOrClientId))?.partnerId ?? idOrClientId
}
