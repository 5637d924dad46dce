import type { Logger } from 'pino'
import { dropOldAuditMonths } from '../platform/audit/audit-log.store.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import { type RetentionDependencies, removeAbandonedQuotes } from './remove-abandoned-quotes.ts'
import { removeEndedContracts } from './remove-ended-contracts.ts'

/** The maximum number of rows removed in one run, so that no run takes long. The next run removes the rest. */
const limit = 500

/**
 * Every hour, removes personal data whose retention period has ended: data of quotes that have been abandoned for
 * `abandonedQuoteDays`, data of contracts that ended six years ago, and months of the audit
 * log that ended `auditLogYears` ago. Also makes the audit log's partitions of the coming months.
 */
export function personalDataRetentionJob({
  log,
  abandonedQuoteDays,
  auditLogYears,
  ...deps
}: RetentionDependencies & { log: Logger; abandonedQuoteDays: number; auditLogYears: number }): ScheduledJob {
  return {
    name: 'remove-old-personal-data',
    everyMinutes: 60,
    atMinute: 27,
    async run() {
      const quotes = await removeAbandonedQuotes(deps, { days: abandonedQuoteDays, limit })
      const contracts = await removeEndedContracts(deps, { limit })
      const auditMonths = await dropOldAuditMonths(deps.databases.system, auditLogYears)
      if (quotes + contracts + auditMonths > 0)
        log.info({ quotes, contracts, auditMonths }, 'expired personal data removed')
    },
  }
}
