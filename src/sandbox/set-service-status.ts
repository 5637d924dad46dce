import { reportServiceStatus, requireSuppliedService } from '../back-office/service-reports/report-service-status.ts'
import { loadQuoteForUpdate } from '../contracts/load-quote-for-update.ts'
import { nothingElse } from '../contracts/supply/supply-report.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { ServiceStatus } from '../quoting/packages/service-status.ts'

/** The status of a service, as a sandbox sets it. */
export interface SetService {
  quoteId: Id<'quote'>
  serviceId: string
  status: ServiceStatus
}

/**
 * POST /Sandbox/quotes/{id}/service-status: reports the status of a service on the operator's behalf, in any order.
 * Throws `onboarding_incomplete` until every tenant has accepted, and `validation_failed` for a service that the quote
 * does not have.
 */
export async function setServiceStatus(
  deps: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  { quoteId, serviceId, status }: SetService,
): Promise<SetService> {
  return inTransaction(deps.db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    requireSuppliedService(quote, serviceId)
    if (quote.serviceStatuses[serviceId] !== status)
      await reportServiceStatus(tx, deps, caller, quote, {
        ...{ ...nothingElse, serviceId, status, effectiveOn: londonDate(caller.now) },
      })
    return { quoteId, serviceId, status }
  })
}
