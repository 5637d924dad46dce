import type { Database } from '../../platform/db/database.ts'
import { readBacklog } from './backlog.store.ts'
import type { WebhookBacklog } from './metrics.ts'

/** How far behind the workers of all processes are now, for all partners together. */
export function measureBacklog(
  { db }: { db: Database },
  settings: { requireVerification: boolean },
): Promise<WebhookBacklog> {
  return readBacklog(db, settings)
}
