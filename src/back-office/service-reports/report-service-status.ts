import { recordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import { insertServiceReport } from '../../contracts/supply/service-reports.store.ts'
import { chaseDays, type ServiceReport } from '../../contracts/supply/supply-report.ts'
import type { DomainEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'

/**
 * Stores what is reported about a service of a completed quote, and tells of it for each tenant whose contract is in
 * force. The same status again is a correction, which nobody is told of. The caller holds the quote's row lock and has
 * checked that the quote has the service.
 */
export async function reportServiceStatus(
  tx: Tx,
  { bankHolidays }: { bankHolidays: BankHolidays },
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  report: ServiceReport,
): Promise<Quote> {
  const { partnerId, now } = caller
  const { quoteId } = quote
  const { serviceId, status } = report
  const dated = { ...report, ...chaseDays(report, quote.address.country, bankHolidays) }
  await recordContractChange(tx, { partnerId, quoteId, change: 'services_changed' }, (recorded) =>
    insertServiceReport(tx, recorded, { partnerId, quoteId }, dated, now),
  )
  const previousStatus = quote.serviceStatuses[serviceId] ?? 'pending'
  if (previousStatus === status) return quote
  const supplied = quote.tenants.filter(({ contractStatus }) => contractStatus === 'in_force')
  const events = supplied.map(({ tenantId: customerId }): DomainEvent => {
    const data = { customerId, quoteId, serviceId, previousStatus, status }
    return { type: 'customer.service.changed', data }
  })
  await recordEvents(tx, caller, events)
  const serviceStatuses = { ...quote.serviceStatuses, [serviceId]: status }
  return saveQuote(tx, caller, quote, { ...quote, serviceStatuses })
}

/**
 * Throws `onboarding_incomplete` until every tenant has accepted, and `validation_failed` for a service that the quote
 * does not have.
 */
export function requireSuppliedService({ stage, price }: Pick<Quote, 'stage' | 'price'>, serviceId: string): void {
  if (stage !== 'completed') {
    throw new DomainError(
      'onboarding_incomplete',
      'Supply is only requested once every tenant has accepted the terms. First take each tenant of this quote through POST /Customers/{id}/accept-terms.',
    )
  }
  const ids = serviceIds(price?.lines ?? [])
  if (ids.includes(serviceId)) return
  const detail = `The quote has no such service. Must be one of: ${ids.join(', ')}.`
  throw invalidFields([{ pointer: '/serviceId', code: 'not_allowed', detail }])
}
