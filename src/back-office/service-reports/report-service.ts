import { loadQuoteForUpdate } from '../../contracts/load-quote-for-update.ts'
import { findSupplyDays, listLatestReports } from '../../contracts/supply/service-reports.store.ts'
import { nothingElse, type ServiceReport } from '../../contracts/supply/supply-report.ts'
import type { Caller } from '../../partners/caller.ts'
import { inTransaction, type Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type ServiceStatus, serviceMayBecome } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import {
  type ReportDependencies,
  reportServiceStatus,
  requireFitting,
  requireSuppliedService,
} from './report-service-status.ts'

/** A service of a home, as it was reported. */
export interface ReportedService extends ServiceReport {
  quoteId: Id<'quote'>
}

/** What a report can leave out, so that what was said before stays. */
const kept = ['supplierReference', 'newOccupierFrom', 'meterSerial'] as const
type Kept = (typeof kept)[number]

/** A report to be made. With `replacesLatest`, the latest one was a mistake: nothing of it stays, not even its status. */
type Reporting = Omit<ReportedService, Kept> & { [Name in Kept]: ServiceReport[Name] | undefined } & {
  replacesLatest: boolean
}

/**
 * POST /operator-api/Quotes/{quoteId}/services/{serviceId}/status: reports how supply goes, for every contract of the
 * household. The same report again changes nothing; the same status with anything else is a correction. Throws
 * `service_status_not_allowed` for a status that cannot follow, `validation_failed` for a day before the household
 * agreed and for what cannot be said of the status, `onboarding_incomplete` and `not_found`.
 */
export function reportService(
  deps: ReportDependencies,
  caller: Caller,
  { quoteId, replacesLatest, ...reported }: Reporting,
): Promise<ReportedService> {
  requireFitting(reported)
  return inTransaction(deps.db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    requireSuppliedService(quote, reported.serviceId)
    const latest = (await listLatestReports(tx, quote))[reported.serviceId]
    const before = latest === undefined || replacesLatest ? nothingElse : latest
    const stays = Object.fromEntries(kept.map((name) => [name, reported[name] ?? before[name]])) as Pick<
      ServiceReport,
      Kept
    >
    const report = { ...reported, ...stays }
    if (latest !== undefined && isSame(latest, report)) return { quoteId, ...report }
    if (latest === undefined || !replacesLatest) requireMove(latest?.status ?? 'pending', report.status)
    await requireDay(tx, quote, report.effectiveOn)
    await reportServiceStatus(tx, deps, caller, quote, { ...report, latest, isCorrection: replacesLatest })
    return { quoteId, ...report }
  })
}

function isSame(one: ServiceReport, other: ServiceReport): boolean {
  const names = ['status', 'effectiveOn', ...(Object.keys(nothingElse) as (keyof typeof nothingElse)[])] as const
  return names.every((name) => one[name] === other[name])
}

/**
 * The supply of a household cannot change before it agreed, except that it goes on from an earlier contract of the
 * home.
 */
async function requireDay(tx: Tx, quote: Quote, day: IsoDate): Promise<void> {
  const { addressUid } = quote.address
  const { agreedAt, isCoveredEarlier } = await findSupplyDays(tx, quote, { addressUid, day })
  if (agreedAt === null || day >= londonDate(agreedAt) || isCoveredEarlier) return
  const detail = `Must be ${londonDate(agreedAt)}, when the household agreed, or later. Only a day that an earlier contract of this home covered may be earlier.`
  throw invalidFields([{ pointer: '/effectiveDate', code: 'out_of_range', detail }])
}

function requireMove(from: ServiceStatus, to: ServiceStatus): void {
  const next = serviceMayBecome[from]
  if (from === to || next.includes(to)) return
  throw new DomainError(
    'service_status_not_allowed',
    next.length === 0
      ? `The service is ${from}, which is final. If that was a mistake, send what is right with replacesLatest.`
      : `The service is ${from}. After that, it can be ${next.join(' or ')}.`,
  )
}
