import { loadQuoteForUpdate } from '../../contracts/load-quote-for-update.ts'
import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type ServiceStatus, serviceMayBecome } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { reportServiceStatus, requireSuppliedService } from './report-service-status.ts'
import { findServiceReport, findSupplyDays, type ServiceReport } from './service-reports.store.ts'

/** A service of a home, as it was reported. */
export interface ReportedService extends ServiceReport {
  quoteId: Id<'quote'>
}

/**
 * POST /operator-api/Quotes/{quoteId}/services/{serviceId}/status: reports how supply goes, for every contract of the
 * household. The same report again changes nothing; the same status with another date, reason or reference is a
 * correction. Without a reference, the one reported before stays. Throws `service_status_not_allowed` for a status that
 * cannot follow, `validation_failed` for a day before the household agreed,
 * `onboarding_incomplete` and `not_found`.
 */
export function reportService(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { quoteId, ...reported }: Omit<ReportedService, 'supplierReference'> & { supplierReference: string | undefined },
): Promise<ReportedService> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    requireSuppliedService(quote, reported.serviceId)
    const latest = await findServiceReport(tx, quote, reported.serviceId)
    const supplierReference = reported.supplierReference ?? latest?.supplierReference ?? null
    const report = { ...reported, supplierReference }
    if (latest !== undefined && isSame(latest, report)) return { quoteId, ...report }
    requireMove(latest?.status ?? 'pending', report.status)
    await requireDay(tx, quote, report.effectiveOn)
    await reportServiceStatus(tx, caller, quote, report)
    return { quoteId, ...report }
  })
}

function isSame(one: ServiceReport, other: ServiceReport): boolean {
  return (['status', 'effectiveOn', 'reason', 'supplierReference'] as const).every((name) => one[name] === other[name])
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
      ? `The service is ${from}, which is final. You can only correct its date.`
      : `The service is ${from}. After that, it can be ${next.join(' or ')}.`,
  )
}
