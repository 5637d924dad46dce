import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServiceStatus } from '../packages/service-status.ts'
import { serviceIds } from '../pricing/customer-packages.ts'
import { loadAndLockQuote } from '../quotes/load-quote.ts'
import { reportServiceStatus } from '../quotes/report-service-status.ts'

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
    if (quote.stage !== 'completed') throw notCompleted()
    const ids = serviceIds(quote.price?.lines ?? [])
    if (!ids.includes(serviceId)) throw unknownService(ids)
    await reportServiceStatus(tx, caller, quote, { serviceId, status })
    return { quoteId, serviceId, status }
  })
}

function notCompleted(): DomainError {
  return new DomainError(
    'onboarding_incomplete',
    'Supply is only requested once every tenant has accepted the terms. First take each tenant of this quote through POST /Customers/{id}/accept-terms.',
  )
}

function unknownService(ids: readonly string[]): DomainError {
  const detail = `The quote has no such service. Must be one of: ${ids.join(', ')}.`
  return new DomainError('validation_failed', `/serviceId: ${detail}`, {
    fields: [{ pointer: '/serviceId', code: 'not_allowed', detail }],
  })
}
