import {
  type ReportDependencies,
  reportServiceStatus,
  requireFitting,
  requireSuppliedService,
} from '../back-office/service-reports/report-service-status.ts'
import { loadQuoteForUpdate } from '../contracts/load-quote-for-update.ts'
import { listLatestReports } from '../contracts/supply/service-reports.store.ts'
import { nothingElse, type SupplyReason } from '../contracts/supply/supply-report.ts'
import type { Caller } from '../partners/caller.ts'
import { inTransaction } from '../platform/db/database.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { type ServiceStatus, serviceMayBecome } from '../quoting/packages/service-status.ts'

/** The status of a service, as a sandbox sets it. */
export interface SetService {
  quoteId: Id<'quote'>
  serviceId: string
  status: ServiceStatus
  reason: SupplyReason | null
}

/**
 * POST /Sandbox/quotes/{id}/service-status: reports the status of a service on the operator's behalf, in any order; one
 * that cannot follow corrects the one before. Throws `onboarding_incomplete` until every tenant has accepted, and
 * `validation_failed` for a service that the quote does not have and a reason that the status cannot have.
 */
export async function setServiceStatus(
  deps: ReportDependencies,
  caller: Caller,
  { quoteId, serviceId, status, reason }: SetService,
): Promise<SetService> {
  requireFitting({ ...nothingElse, reason, status })
  return inTransaction(deps.db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    requireSuppliedService(quote, serviceId)
    const latest = (await listLatestReports(tx, quote))[serviceId]
    const before = latest?.status ?? 'pending'
    if (before !== status || (latest?.reason ?? null) !== reason)
      await reportServiceStatus(tx, deps, caller, quote, {
        ...{ ...nothingElse, serviceId, status, reason, effectiveOn: londonDate(caller.now), latest },
        isCorrection: before !== status && !serviceMayBecome[before].includes(status),
      })
    return { quoteId, serviceId, status, reason }
  })
}
