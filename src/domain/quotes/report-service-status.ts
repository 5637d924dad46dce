import type { Tx } from '../../db/database.ts'
import type { Caller } from '../auth/caller.ts'
import type { DomainEvent } from '../events/event.ts'
import { recordEvents } from '../events/record-event.ts'
import type { ServiceStatus } from '../packages/service-status.ts'
import type { Quote } from './quote.ts'
import { saveQuote } from './save-quote.ts'

/**
 * Stores what is reported about a service of a completed quote, and tells of it for each tenant whose contract is in force. The same status again
 * changes nothing. The caller holds the quote's lock and has checked that the quote has the service.
 */
export async function reportServiceStatus(
  tx: Tx,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  { serviceId, status }: { serviceId: string; status: ServiceStatus },
): Promise<Quote> {
  const reported = quote.serviceStatuses[serviceId]
  if (reported === status) return quote
  const supplied = quote.tenants.filter(({ contractStatus }) => contractStatus === 'in_force')
  const { quoteId } = quote
  // Without a report, a service of a tenant who is onboarded counts as active.
  const previousStatus = reported ?? 'active'
  const events = supplied.map(({ tenantId: customerId }): DomainEvent => {
    const data = { customerId, quoteId, serviceId, previousStatus, status }
    return { type: 'customer.service.changed', data }
  })
  if (previousStatus !== status) await recordEvents(tx, caller, events)
  const serviceStatuses = { ...quote.serviceStatuses, [serviceId]: status }
  return saveQuote(tx, caller, quote, { ...quote, serviceStatuses })
}
