import type { Origin } from '../platform/db/access.ts'
import { type Database, withoutEffect } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** For whom operations work, who asks, and whether nothing may change (HEAD). */
interface Asked {
  partnerId: Id<'partner'>
  origin?: Origin
  method?: string
}

/**
 * What operations get to work for one partner: everything of the deployment, and a database that shows this partner's
 * rows only. The API, the operator's API and commands, and the tenants' pages all get it here, so a setting of one
 * partner that takes the place of the deployment's belongs here.
 */
export function dependenciesOfPartner<Deployment extends { databases: Databases }>(
  { databases, ...common }: Deployment,
  { partnerId, origin, method }: Asked,
): Omit<Deployment, 'databases'> & { db: Database } {
  const database = databases.forPartner(partnerId, origin)
  return { ...common, db: method === 'HEAD' ? withoutEffect(database) : database }
}
