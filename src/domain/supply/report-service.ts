import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { type ServiceStatus, serviceMayBecome } from '../packages/service-status.ts'
import { loadAndLockQuote } from '../quotes/load-quote.ts'
import { reportServiceStatus } from '../quotes/report-service-status.ts'
import { requireSuppliedService } from './require-supplied-service.ts'
import { findServiceReport, type ServiceReport } from './service-reports.store.ts'

/** A service of a home, as the operator reports it. */
export interface ReportedService extends ServiceReport {
  quoteId: Id<'quote'>
}

/**
 * POST /operator-api/Quotes/{quoteId}/services/{serviceId}/status: reports how supply goes, for every contract of the household. The same report
 * again changes nothing; the same status with another date, reason or reference is a correction. Throws `service_status_not_allowed` for a
 * status that cannot follow, `onboarding_incomplete` and `not_found`.
 */
export function reportService(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { quoteId, ...report }: ReportedService,
): Promise<ReportedService> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadAndLockQuote(tx, cipher, caller, quoteId)
    requireSuppliedService(quote, report.serviceId)
    const latest = await findServiceReport(tx, quote, report.serviceId)
    if (latest !== undefined && isSame(latest, report)) return { quoteId, ...report }
    requireMove(latest?.status ?? 'pending', report.status)
    await reportServiceStatus(tx, caller, quote, report)
    return { quoteId, ...report }
  })
}

function isSame(one: ServiceReport, other: ServiceReport): boolean {
  return (['status', 'effectiveOn', 'reason', 'supplierReference'] as const).every((name) => one[name] === other[name])
}

function requireMove(from: ServiceStatus, to: ServiceStatus): void {
  const next = serviceMayBecome[from]
  if (from === to || next.includes(to)) return
  throw new DomainError(
    'service_status_not_allowed',
    next.length === 0
      ? `The service is ${from}, which is final. You can only correct its date.`
      : `The service is ${from}. After that, it can be ${next.join(' or ')}.`,
  )
}
