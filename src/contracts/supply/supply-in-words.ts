import type { Queryable } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { ServiceStatus } from '../../quoting/packages/service-status.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { capitalised } from '../bought-services.ts'
import { listLatestReports } from './service-reports.store.ts'
import { type ServiceReport, supplyReason } from './supply-report.ts'

/** What tenants are told of a supply when it happens; the other statuses are on their pages only. */
export type SupplyNews = 'began' | 'delayed' | 'refused' | 'moved_by_mistake'

/** What a report tells tenants; null if nothing that they must know at once. */
export function supplyNews(
  report: Pick<ServiceReport, 'status' | 'reason' | 'expectedOn'> | undefined,
): SupplyNews | null {
  if (report === undefined) return null
  const { status, reason, expectedOn } = report
  if (reason === 'erroneous_transfer') return 'moved_by_mistake'
  if (status === 'active') return 'began'
  if (status === 'failed' || status === 'withdrawn') return 'refused'
  return status === 'requested' && (reason !== null || expectedOn !== null) ? 'delayed' : null
}

/** What tenants call the service of a line: its kind and, where a home can have several, the product. */
export function serviceInWords(lines: readonly PricedLine[], serviceId: string): string {
  const line = lines[serviceIds(lines).indexOf(serviceId)]
  if (line === undefined) throw new RangeError('a report is about a service that its quote does not have')
  return line.productId === null ? line.type : `${line.type} (${line.name})`
}

/** How a supply stands, for instance "It began on 4 January 2027.", and what is the matter with it. */
export function supplyInWords(
  { status, effectiveOn, reason, expectedOn }: Pick<ServiceReport, 'status' | 'effectiveOn' | 'reason' | 'expectedOn'>,
  today: IsoDate,
): string {
  const day = dayInWords(effectiveOn)
  const verb = (past: string, coming: string) => (effectiveOn > today ? coming : past)
  const news = supplyNews({ status, reason, expectedOn })
  const states: Readonly<Record<ServiceStatus, string>> = {
    pending: 'The supplier was not asked for it yet.',
    requested: news === 'delayed' ? 'It is delayed.' : 'The supplier was asked for it.',
    active: `It ${verb('began', 'begins')} on ${day}.`,
    ended: `It ${verb('ended', 'ends')} on ${day}.`,
    failed: 'It cannot begin as things are.',
    withdrawn: 'It was called off and will not begin.',
  }
  return [
    news === 'moved_by_mistake' ? 'It was moved by mistake.' : states[status],
    ...(reason === null ? [] : [supplyReason(reason).told]),
    ...(expectedOn === null ? [] : [`It is now expected to begin on ${dayInWords(expectedOn)}.`]),
  ].join(' ')
}

/** How the supply of each service of a home stands in words, where the operator reported it. `now`: the partner's clock. */
export async function listSupply(
  db: Queryable,
  quote: Pick<Quote, 'partnerId' | 'quoteId' | 'price'>,
  now: Date,
): Promise<[service: string, state: string][]> {
  const reports = await listLatestReports(db, quote)
  return Object.values(reports).flatMap((report) =>
    report === undefined
      ? []
      : [
          [
            capitalised(serviceInWords(quote.price?.lines ?? [], report.serviceId)),
            supplyInWords(report, londonDate(now)),
          ],
        ],
  )
}
