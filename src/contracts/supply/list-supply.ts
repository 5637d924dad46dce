import type { Queryable } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { capitalised } from '../bought-services.ts'
import { listLatestReports } from './service-reports.store.ts'
import { serviceInWords, supplyInWords } from './supply-in-words.ts'

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
