import type { Logger } from 'pino'
import { dropOldAuditMonths } from '../platform/audit/audit-log.store.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import { type RetentionDependencies, removeAbandonedQuotes } from './remove-abandoned-quotes.ts'
import { removeEndedContracts } from './remove-ended-contracts.ts'

/** How many rows are listed at once. */
const batch = 500

/**
 * Every hour, removes personal data whose retention period has ended: data of quotes that have been abandoned for
 * `abandonedQuoteDays`, data of contracts that ended six years ago, and months of the audit
 * log that ended `auditLogYears` ago. Also makes the audit log's partitions of the coming months. A step that fails
 * keeps none of the others: the first failure is thrown after all.
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
    async run(signal) {
      const failures: unknown[] = []
      const countOf = (step: Promise<number>) =>
        step.catch((error: unknown) => {
          failures.push(error)
          return undefined
        })
      const isStopping = () => signal.aborted
      const quotes = await countOf(removeAbandonedQuotes(deps, { days: abandonedQuoteDays, batch, isStopping }))
      const contracts = await countOf(removeEndedContracts(deps, { batch, isStopping }))
      const auditMonths = await countOf(dropOldAuditMonths(deps.databases.system, auditLogYears))
      const counts = { quotes, contracts, auditMonths }
      if (Object.values(counts).some((count) => count !== undefined && count > 0))
        log.info(counts, 'expired personal data removed')
      if (failures.length > 0) throw failures[0]
    },
  }
}
