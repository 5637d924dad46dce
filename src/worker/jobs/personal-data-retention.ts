import type { Logger } from 'pino'
import { removeOldAuditEntries } from '../../domain/audit/remove-old-entries.ts'
import { type RetentionDependencies, removeAbandonedQuotes } from '../../domain/privacy/remove-abandoned-quotes.ts'
import { removeEndedContracts } from '../../domain/privacy/remove-ended-contracts.ts'
import type { ScheduledJob } from './scheduler.ts'

/** The maximum number of rows removed in one run, so that no run takes long. The next run removes the rest. */
const limit = 500

/**
 * Every hour, removes personal data whose retention period has ended: data of quotes that have been abandoned for
 * `abandonedQuoteDays`, data of contracts that ended six years ago, and old entries of the audit log.
 */
export function personalDataRetentionJob({
  log,
  abandonedQuoteDays,
  ...deps
}: RetentionDependencies & { log: Logger; abandonedQuoteDays: number }): ScheduledJob {
  return {
    name: 'remove-old-personal-data',
    everyMinutes: 60,
    atMinute: 27,
    async run() {
      const quotes = await removeAbandonedQuotes(deps, { days: abandonedQuoteDays, limit })
      const contracts = await removeEndedContracts(deps, { limit })
      const auditEntries = await removeOldAuditEntries(deps)
      if (quotes + contracts + auditEntries > 0)
        log.info({ quotes, contracts, auditEntries }, 'expired personal data removed')
    },
  }
}
