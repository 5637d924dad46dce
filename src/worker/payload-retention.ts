import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { removeOldPayloads } from '../domain/webhooks/remove-old-payloads.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/** Rows in one transaction: some tens of milliseconds, so that nobody waits for their locks. */
const batch = 1_000
/** A run ends before the library gives it up (15 minutes); what a first run on an old deployment leaves, the next one takes. */
const longestRunMs = 10 * 60_000

/** Removes, once an hour, what was delivered or given up more than 30 days ago, and the events behind it. */
export function payloadRetentionJob({
  db,
  log,
  requireVerification,
}: {
  db: Database
  log: Logger
  requireVerification: boolean
}): ScheduledJob {
  return {
    name: 'remove-old-payloads',
    cron: '17 * * * *',
    async run(signal) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(longestRunMs)])
      const removed = await removeOldPayloads({ db }, { batch, requireVerification, isStopping: () => inTime.aborted })
      if (removed.deliveries + removed.held + removed.events > 0) log.info(removed, 'old webhook payloads removed')
    },
  }
}
