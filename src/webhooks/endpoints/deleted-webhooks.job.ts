import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { purgeDeletedWebhooks, wipeEndedSecrets } from './purge-deleted-webhooks.ts'

/** The maximum number of rows removed in one transaction. */
const batch = 1_000

/** Every ten minutes, removes the rows of deleted webhooks and replaced secrets that are no longer needed. */
export function deletedWebhooksJob({ db, log }: { db: Database; log: Logger }): ScheduledJob {
  return {
    name: 'purge-webhooks',
    everyMinutes: 10,
    atMinute: 0,
    async run(signal) {
      const rows = await untilNone(() => purgeDeletedWebhooks({ db }, batch), signal)
      const secrets = await untilNone(() => wipeEndedSecrets({ db }, batch), signal)
      if (rows + secrets > 0) log.info({ rows, secrets }, 'deleted webhooks and replaced secrets removed')
    },
  }
}

/** Repeats the step until it removes nothing more. Returns how many rows were removed in total. */
async function untilNone(step: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let found = 0
  while (!signal.aborted) {
    const some = await step()
    if (some === 0) break
    found += some
  }
  return found
}
