import { queueMails, type TenantMailDependencies } from '../../contracts/mails/queue-mails.ts'
import { compareSerials } from '../../contracts/meter-readings/meter-readings.store.ts'
import { recordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import { insertServiceReport, type LatestReport } from '../../contracts/supply/service-reports.store.ts'
import { serviceInWords, supplyInWords, supplyNews } from '../../contracts/supply/supply-in-words.ts'
import { chaseDays, type ServiceReport, supplyReason, supplyReasonNames } from '../../contracts/supply/supply-report.ts'
import type { DomainEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Database, Tx } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { serviceRow } from '../../quoting/packages/services.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'

/** What reporting about a supply takes. */
export interface ReportDependencies extends TenantMailDependencies {
  db: Database
  bankHolidays: BankHolidays
}

/**
 * Stores what is reported about a service of a completed quote, and tells of it to each tenant whose contract is in
 * force, by e-mail where it is news, and to their partner if the status is another. `latest` is the report before, and
 * `isCorrection` says that it was a mistake. The caller holds the quote's row lock and has checked that the quote has
 * the service.
 */
export async function reportServiceStatus(
  tx: Tx,
  deps: ReportDependencies,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  { latest, isCorrection, ...report }: ServiceReport & { latest: LatestReport | undefined; isCorrection: boolean },
): Promise<void> {
  const { partnerId, now } = caller
  const { quoteId } = quote
  const { serviceId, status } = report
  const dated = { ...report, ...chaseDays(report, quote.address.country, deps.bankHolidays) }
  const lines = quote.price?.lines ?? []
  const line = lines[serviceIds(lines).indexOf(serviceId)]
  await recordContractChange(tx, { partnerId, quoteId, change: 'services_changed' }, async (recorded) => {
    await insertServiceReport(tx, recorded, { partnerId, quoteId }, dated, now)
    if (line === undefined || dated.meterSerial === (latest?.meterSerial ?? null)) return
    await compareSerials(tx, recorded, quote, { service: line.type, supplierSerial: dated.meterSerial })
  })
  const supplied = quote.tenants.filter(({ contractStatus }) => contractStatus === 'in_force')
  if (tells(dated, latest, isCorrection)) {
    const facts = {
      ...{ service: serviceInWords(lines, serviceId), news: supplyNews(report), isCorrection },
      ...{ state: supplyInWords(report, londonDate(now)), answerBy: dated.answerBy, resolveBy: dated.resolveBy },
      isMetered: line !== undefined && serviceRow(line.type).metered !== null,
    }
    const mails = supplied.map(
      ({ tenantId, personal }) => ({ kind: 'supply_changed', customerId: tenantId, personal, facts }) as const,
    )
    await queueMails(tx, deps, caller, quote, mails)
  }
  const previousStatus = latest?.status ?? 'pending'
  if (previousStatus === status) return
  const events = supplied.map(({ tenantId: customerId }): DomainEvent => {
    const data = { customerId, quoteId, serviceId, previousStatus, status }
    return { type: 'customer.service.changed', data }
  })
  await recordEvents(tx, caller, events)
  const serviceStatuses = { ...quote.serviceStatuses, [serviceId]: status }
  await saveQuote(tx, caller, quote, { ...quote, serviceStatuses })
}

/** Whether tenants are told: of news that the report before did not tell, and that what it told is not so. */
function tells(report: LatestReport, latest: LatestReport | undefined, isCorrection: boolean): boolean {
  const news = supplyNews(report)
  const before = supplyNews(latest)
  if (news === null) return isCorrection && before !== null
  const told = news === 'began' || news === 'moved_by_mistake' ? ['effectiveOn'] : ['reason', 'expectedOn']
  return news !== before || told.some((name) => report[name as 'reason'] !== latest?.[name as 'reason'])
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

/** Throws `validation_failed` for a reason, an expected day or an answer that the status cannot have. */
export function requireFitting({
  status,
  reason,
  expectedOn,
  answeredOn,
}: Pick<ServiceReport, 'status' | 'reason' | 'expectedOn' | 'answeredOn'>): void {
  const reasons = supplyReasonNames.filter((name) => supplyReason(name).statuses.includes(status))
  const wrong = [
    reason !== null &&
      !reasons.includes(reason) && {
        pointer: '/reason',
        detail: `A service that is ${status} cannot have this reason.${reasons.length === 0 ? '' : ` It can be one of: ${reasons.join(', ')}.`}`,
      },
    expectedOn !== null &&
      status !== 'requested' && { pointer: '/expectedOn', detail: 'Only a service that is requested can have it.' },
    answeredOn !== null &&
      reason !== 'erroneous_transfer' && {
        pointer: '/answeredOn',
        detail: 'Only a report with the reason erroneous_transfer can have it.',
      },
  ].filter((each) => each !== false)
  if (wrong.length > 0)
    throw invalidFields(wrong.map(({ pointer, detail }) => ({ pointer, code: 'not_allowed', detail })))
}
