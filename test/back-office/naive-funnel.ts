import type { FunnelDay } from '../../src/back-office/reports/funnel.schema.ts'
import { londonDate } from '../../src/platform/kernel/dates.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { ServiceUnderTest } from '../support/service.ts'

type Row = Record<string, unknown>

/** The counts of a partner and day, as the report has them. */
type Counts = Omit<FunnelDay, 'partnerName'>

/**
 * Works the funnel out from the rows of the tables, one quote at a time. Slow and obvious, to compare the report with.
 */
export async function countNaively(service: ServiceUnderTest): Promise<Counts[]> {
  const quotes = await rawRows(service, 'select * from quotes')
  const customers = Map.groupBy(await rawRows(service, 'select * from customers'), ofQuote)
  const contracts = Map.groupBy(await rawRows(service, 'select * from contracts'), ofQuote)
  const byDay = Map.groupBy(quotes, (quote) => `${londonDate(quote.created_at as Date)} ${quote.partner_id}`)
  return [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, ofDay]) => {
      const [date = '', partnerId = ''] = day.split(' ')
      const how = (isCounted: (quote: Row) => boolean) => ofDay.filter(isCounted)
      const some = (rows: Map<unknown, Row[]>, isSuch: (row: Row) => boolean) =>
        how(({ quote_id }) => (rows.get(quote_id) ?? []).some(isSuch))
      const inForce = some(contracts, ({ effective_at }) => effective_at !== null)
      return {
        ...{ date, partnerId, quotes: ofDay.length },
        priced: how(({ price }) => price !== null).length,
        tenants: some(customers, () => true).length,
        details: some(customers, ({ personal_information_at }) => personal_information_at !== null).length,
        card: some(customers, ({ payment_status }) => ['ready', 'paid', 'failed'].includes(String(payment_status)))
          .length,
        accepted: some(contracts, () => true).length,
        inForce: inForce.length,
        value: inForce.reduce((sum, { price }) => sum + (price as { totalCost: number }).totalCost, 0),
      }
    })
}

const ofQuote = ({ quote_id }: Row) => quote_id
