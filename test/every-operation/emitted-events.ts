import type { Pool } from 'pg'
import type { EndReason } from '../../src/contracts/contract.ts'
import { noLabels } from '../../src/events/event.ts'
import type { QuoteStatus } from '../../src/quoting/quotes/quote.ts'

/** One event: its type and its data. */
export type EmittedEvent = readonly [type: string, data: Record<string, unknown>]

interface StoredCustomer {
  status: string
  paymentStatus: string
  /** Whether the lock ended while an intent was unfinished, and that intent has not been cancelled yet. */
  hasStaleIntent: boolean
}

/** The parts of a quote whose changes are announced by events, and the quote's events so far. */
export interface StoredQuote {
  customers: ReadonlyMap<string, StoredCustomer>
  /** By contract number. */
  contracts: ReadonlyMap<string, { customerId: string; status: string }>
  events: readonly EmittedEvent[]
}

export async function readStoredQuote(pool: Pool, quoteId: string): Promise<StoredQuote> {
  const { rows } = await pool.query(
    `select (select coalesce(json_agg(json_build_object('customerId', customer_id, 'status', status, 'paymentStatus',
     payment_status,
          'hasStaleIntent', exists (select from setup_intents s where s.customer_id = c.customer_id and cancel_wanted
            and s.status <> 'canceled'))), '[]')
        from customers c where quote_id = $1) as customers,
      (select coalesce(json_object_agg(contract_number, json_build_object('customerId', customer_id, 'status', status)),
        '{}')
        from contracts where quote_id = $1) as contracts,
      (select coalesce(json_agg(json_build_array(type, data) order by event_number), '[]') from events
        where quote_id = $1) as events`,
    [quoteId],
  )
  const [{ customers, contracts, events }] = rows
  return {
    customers: new Map(
      customers.map(({ customerId, ...rest }: StoredCustomer & { customerId: string }) => [customerId, rest]),
    ),
    contracts: new Map(Object.entries(contracts)),
    events,
  }
}

/**
 * The events expected between two states, exactly one for each change. A contract that takes effect as it is agreed has
 * two. `reason` is why the change undid earlier steps, null if it did not. Compare the events with `sortedTexts`.
 */
export function expectedEventsBetween(
  quoteId: string,
  before: { status: QuoteStatus | null; stored: StoredQuote },
  after: { status: QuoteStatus; stored: StoredQuote; reason: EndReason | null },
): EmittedEvent[] {
  const { reason } = after
  const about = { quoteId, ...noLabels }
  const events: EmittedEvent[] = []
  if (before.status !== after.status)
    events.push(['quote.status.changed', { ...about, previousStatus: before.status, status: after.status, reason }])
  for (const [customerId, now] of after.stored.customers) {
    const then = before.stored.customers.get(customerId) ?? {
      status: 'active',
      paymentStatus: 'not_started',
      hasStaleIntent: false,
    }
    if (then.status !== now.status)
      events.push([
        'customer.status.changed',
        { customerId, ...about, previousStatus: then.status, status: now.status, reason },
      ])
    const statuses = [then.paymentStatus, now.paymentStatus]
    // The unfinished intent is cancelled first, and then a new one created.
    if (then.hasStaleIntent && !now.hasStaleIntent && now.paymentStatus === 'setup_started')
      statuses.splice(1, 0, 'not_started')
    for (const [index, paymentStatus] of statuses.entries())
      if (index > 0 && paymentStatus !== statuses[index - 1])
        events.push([
          'customer.payment.updated',
          { customerId, ...about, previousPaymentStatus: statuses[index - 1], paymentStatus },
        ])
  }
  for (const [contractNumber, { customerId, status }] of after.stored.contracts) {
    const then = before.stored.contracts.get(contractNumber)?.status ?? null
    const steps = then === null && status === 'in_force' ? [null, 'agreed', status] : [then, status]
    for (const [index, next] of steps.entries())
      if (index > 0 && next !== steps[index - 1])
        events.push([
          'customer.contract.changed',
          { customerId, ...about, contractNumber, previousStatus: steps[index - 1], status: next, reason },
        ])
  }
  return events
}

/** Returns events as JSON texts, sorted, so that two lists can be compared whatever their order. */
export function sortedTexts(events: readonly EmittedEvent[]): string[] {
  return events.map((event) => JSON.stringify(event)).sort()
}
