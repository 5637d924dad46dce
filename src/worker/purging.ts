import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { purgeDeletedWebhooks } from '../domain/webhooks/purge-deleted-webhooks.ts'
import { wipeEndedSecrets } from '../domain/webhooks/wipe-ended-secrets.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/** Rows in one transaction. */
const batch = 1_000

/** Removes, every ten minutes, what deleted webhooks and replaced signing secrets leave. */
export function purgingJob({ db, log }: { db: Database; log: Logger }): ScheduledJob {
  return {
    name: 'purge-webhooks',
    cron: '*/10 * * * *',
    async run(signal) {
      const rows = await untilNone(() => purgeDeletedWebhooks({ db }, batch), signal)
      const secrets = await untilNone(() => wipeEndedSecrets({ db }, batch), signal)
      if (rows + secrets > 0) log.info({ rows, secrets }, 'what deleted webhooks and replaced secrets left was removed')
    },
  }
}

/** Repeats the step until it finds nothing; returns how much it found in all. */
async function untilNone(step: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let found = 0
  while (!signal.aborted) {
    const some = await step()
    if (some === 0) break
    found += some
  }
  return found
}
