import type { Pool } from 'pg'
import type { QuoteStatus } from '../../src/domain/quotes/quote.ts'

/** One event, in the words of its type and its data. */
export type Told = readonly [type: string, data: Record<string, unknown>]

/** Everything of a quote that events tell of, as it is stored, and what they have told so far. */
export interface StoredQuote {
  customers: ReadonlyMap<string, { status: string; paymentStatus: string }>
  told: readonly Told[]
}

export async function readStored(pool: Pool, quoteId: string): Promise<StoredQuote> {
  const { rows } = await pool.query(
    `select (select coalesce(json_agg(json_build_object('customerId', customer_id, 'status', status, 'paymentStatus', payment_status)), '[]')
        from customers where quote_id = $1) as customers,
      (select coalesce(json_agg(json_build_array(type, data) order by event_number), '[]') from events where quote_id = $1) as told`,
    [quoteId],
  )
  const [{ customers, told }] = rows
  return {
    customers: new Map(
      customers.map(({ customerId, ...rest }: { customerId: string; status: string; paymentStatus: string }) => [
        customerId,
        rest,
      ]),
    ),
    told,
  }
}

/** What must have been told between two moments: each change once, and nothing else. In the order of `inOrder`. */
export function changesBetween(
  quoteId: string,
  before: { status: QuoteStatus | null; stored: StoredQuote },
  after: { status: QuoteStatus; stored: StoredQuote },
): Told[] {
  const about = { quoteId, reference: null }
  const told: Told[] = []
  if (before.status !== after.status)
    told.push(['quote.status.changed', { ...about, previousStatus: before.status, status: after.status }])
  for (const [customerId, now] of after.stored.customers) {
    const then = before.stored.customers.get(customerId) ?? { status: 'active', paymentStatus: 'not_started' }
    if (then.status !== now.status)
      told.push(['customer.status.changed', { customerId, ...about, previousStatus: then.status, status: now.status }])
    if (then.paymentStatus !== now.paymentStatus)
      told.push([
        'customer.payment.updated',
        { customerId, ...about, previousPaymentStatus: then.paymentStatus, paymentStatus: now.paymentStatus },
      ])
  }
  return told
}

/** One order for events that became true in one transaction. */
export function inOrder(told: readonly Told[]): string[] {
  return told.map((event) => JSON.stringify(event)).sort()
}
