import type { Logger } from 'pino'
import type { Databases } from '../../platform/db/databases.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { recordCommission } from './record-commission.ts'

/** Every hour, records the commission that partners have earned, and what is taken back of it. */
export function commissionJob({ log, ...deps }: { databases: Databases; clock: Clock; log: Logger }): ScheduledJob {
  return {
    name: 'record-commission',
    everyMinutes: 60,
    atMinute: 10,
    async run(signal) {
      const { recorded, failures } = await recordCommission(deps, { isStopping: () => signal.aborted })
      for (const { partnerId, error } of failures)
        log.error({ err: error, partnerId }, 'commission could not be recorded')
      if (recorded > 0) log.info({ recorded }, 'recorded commission')
    },
  }
}
