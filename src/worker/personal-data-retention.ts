import type { Logger } from 'pino'
import { removeOldAuditEntries } from '../domain/audit/remove-old-entries.ts'
import { type RetentionDependencies, removeAbandonedQuotes } from '../domain/privacy/remove-abandoned.ts'
import { removeEndedContracts } from '../domain/privacy/remove-ended-contracts.ts'
import { removeLeftReferences } from '../domain/privacy/remove-left-references.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/** So many at a time that no round lasts long; what is left has its turn with the next. */
const limit = 500

/**
 * Removes, once an hour, the personal data whose time is over: of quotes abandoned for `abandonedQuoteDays`, of contracts that
 * ended six years ago, and old entries of the audit log.
 */
export function personalDataRetentionJob({
  log,
  abandonedQuoteDays,
  ...deps
}: RetentionDependencies & { log: Logger; abandonedQuoteDays: number }): ScheduledJob {
  return {
    name: 'remove-old-personal-data',
    cron: '27 * * * *',
    async run() {
      const quotes = await removeAbandonedQuotes(deps, { days: abandonedQuoteDays, limit })
      const contracts = await removeEndedContracts(deps, { limit })
      await removeLeftReferences(deps)
      const auditEntries = await removeOldAuditEntries(deps)
      if (quotes + contracts + auditEntries > 0)
        log.info({ quotes, contracts, auditEntries }, 'personal data past its time removed')
    },
  }
}
