import { type Database, inTransaction } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadAndLockQuote } from '../contracts/load-quote.ts'
import type { ServiceStatus } from '../packages/service-status.ts'
import { reportServiceStatus } from '../quotes/report-service-status.ts'
import { requireSuppliedService } from '../supply/require-supplied-service.ts'

/** The status of a service, as a sandbox sets it. */
export interface SetService {
  quoteId: Id<'quote'>
  serviceId: string
  status: ServiceStatus
}

/**
 * POST /Sandbox/quotes/{id}/service-status: reports the status of a service on the operator's behalf, in any order. Throws `onboarding_incomplete`
 * until every tenant has accepted, and `validation_failed` for a service that the quote does not have.
 */
export async function setServiceStatus(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { quoteId, serviceId, status }: SetService,
): Promise<SetService> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadAndLockQuote(tx, cipher, caller, quoteId)
    requireSuppliedService(quote, serviceId)
    if (quote.serviceStatuses[serviceId] !== status)
      await reportServiceStatus(tx, caller, quote, {
        serviceId,
        status,
        effectiveOn: londonDate(caller.now),
        reason: null,
        supplierReference: null,
      })
    return { quoteId, serviceId, status }
  })
}
