import type { Pool } from 'pg'
import type { QuoteStatus } from '../../src/domain/quotes/quote.ts'

/** One event: its type and its data. */
export type EmittedEvent = readonly [type: string, data: Record<string, unknown>]

/** The parts of a quote whose changes are announced by events, and the quote's events so far. */
export interface StoredQuote {
  customers: ReadonlyMap<string, { status: string; paymentStatus: string }>
  events: readonly EmittedEvent[]
}

export async function readStoredQuote(pool: Pool, quoteId: string): Promise<StoredQuote> {
  const { rows } = await pool.query(
    `select (select coalesce(json_agg(json_build_object('customerId', customer_id, 'status', status, 'paymentStatus', payment_status)), '[]')
        from customers where quote_id = $1) as customers,
      (select coalesce(json_agg(json_build_array(type, data) order by event_number), '[]') from events where quote_id = $1) as events`,
    [quoteId],
  )
  const [{ customers, events }] = rows
  return {
    customers: new Map(
      customers.map(({ customerId, ...rest }: { customerId: string; status: string; paymentStatus: string }) => [
        customerId,
        rest,
      ]),
    ),
    events,
  }
}

/** The events expected between two states, exactly one for each change. Compare them with `sortedTexts`. */
export function expectedEventsBetween(
  quoteId: string,
  before: { status: QuoteStatus | null; stored: StoredQuote },
  after: { status: QuoteStatus; stored: StoredQuote },
): EmittedEvent[] {
  const about = { quoteId, reference: null }
  const events: EmittedEvent[] = []
  if (before.status !== after.status)
    events.push(['quote.status.changed', { ...about, previousStatus: before.status, status: after.status }])
  for (const [customerId, now] of after.stored.customers) {
    const then = before.stored.customers.get(customerId) ?? { status: 'active', paymentStatus: 'not_started' }
    if (then.status !== now.status)
      events.push([
        'customer.status.changed',
        { customerId, ...about, previousStatus: then.status, status: now.status },
      ])
    if (then.paymentStatus !== now.paymentStatus)
      events.push([
        'customer.payment.updated',
        { customerId, ...about, previousPaymentStatus: then.paymentStatus, paymentStatus: now.paymentStatus },
      ])
  }
  return events
}

/** Returns events as JSON texts, sorted, so that two lists can be compared whatever their order. */
export function sortedTexts(events: readonly EmittedEvent[]): string[] {
  return events.map((event) => JSON.stringify(event)).sort()
}
