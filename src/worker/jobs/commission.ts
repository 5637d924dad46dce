import type { Logger } from 'pino'
import type { Databases } from '../../db/databases.ts'
import { recordCommission } from '../../domain/commission/record-commission.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ScheduledJob } from './scheduler.ts'

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
