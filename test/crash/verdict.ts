import { Client } from 'pg'
import { brokenInvariants } from '../state/invariants.ts'
import { readStoredState, type StoredEvent } from '../state/stored-state.ts'
import { waitFor } from '../support/wait-for.ts'
import type { ReceivedMessage } from '../webhooks/receiver-fixture.ts'
import type { Journey } from './household-journey.ts'
import type { AcknowledgedWrite, Ledger } from './ledger.ts'
import type { PersistentPartner } from './persistent-partner.ts'

/** Acknowledged writes whose stored response is no longer the same, byte for byte. */
export async function findLostWrites(
  partner: PersistentPartner,
  { acknowledged }: Pick<Ledger, 'acknowledged'>,
): Promise<AcknowledgedWrite[]> {
  const lost: AcknowledgedWrite[] = []
  const left = acknowledged.values()
  const check = async () => {
    for (const entry of left) {
      const again = await partner.send(entry.key, entry.path, entry.body)
      if (again?.text !== entry.text || again.headers.get('idempotent-replayed') !== 'true') lost.push(entry)
    }
  }
  await Promise.all(Array.from({ length: 8 }, check))
  return lost
}

/**
 * Everything that is inconsistent, duplicated or missing in the database, with one sentence for each fault.
 * `otherQuotes` is how many quotes no journey made.
 */
export async function findStateFaults(
  connectionString: string,
  journeys: readonly Journey[],
  otherQuotes = 0,
): Promise<string[]> {
  const state = await readStoredState(connectionString)
  const broken = brokenInvariants(state)
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ quoteId: string; stage: string; tenants: number }>(
      `select quote_id as "quoteId", stage, (select count(*)::int from customers c
       where c.quote_id = q.quote_id) as tenants from quotes q`,
    )
    const found = new Map(rows.map((row) => [row.quoteId, row]))
    for (const { quoteId, tenants, ending } of journeys) {
      const quote = found.get(quoteId)
      if (quote === undefined) broken.push(`${quoteId}: there is no quote`)
      else if (quote.stage !== ending) broken.push(`${quoteId}: ${quote.stage}, not ${ending}`)
      else if (quote.tenants !== tenants) broken.push(`${quoteId}: ${quote.tenants} tenants, not ${tenants}`)
    }
    if (rows.length !== journeys.length + otherQuotes)
      broken.push(`${rows.length} quotes for ${journeys.length} households and ${otherQuotes} others`)
  } finally {
    await client.end()
  }
  return broken
}

/** The recorded events, to compare with those that arrived. */
export async function readRecordedEvents(connectionString: string): Promise<StoredEvent[]> {
  return (await readStoredState(connectionString)).events
}

/** Waits until all events have arrived. Fails if none arrives for a minute. */
export async function untilArrived(arrived: () => number, all: number): Promise<void> {
  for (let before = 0; before < all; ) {
    before = await waitFor(`more than ${before} of ${all} events arrive`, arrived, (count) => count > before)
  }
}

/**
 * Events that never arrived, that arrived again with a different id or content, or whose first arrivals were out of
 * order.
 */
export function findDeliveryFaults(events: readonly StoredEvent[], received: readonly ReceivedMessage[]): string[] {
  const broken: string[] = []
  const bodies = new Map<string, string>()
  const firstArrivals = new Map<string, string[]>()
  for (const { message, headers, body } of received) {
    if (headers['webhook-id'] !== message.id)
      broken.push(`${message.id} arrived with the id ${String(headers['webhook-id'])} in its header`)
    const before = bodies.get(message.id)
    if (before !== undefined && before !== body) broken.push(`${message.id} arrived with two different contents`)
    if (before !== undefined) continue
    bodies.set(message.id, body)
    const quoteId = String(message.data.quoteId)
    firstArrivals.set(quoteId, [...(firstArrivals.get(quoteId) ?? []), message.id])
  }
  const recorded = Map.groupBy(events, ({ quoteId }) => quoteId)
  for (const [quoteId, own] of recorded) {
    const expected = own.map(({ eventId }) => eventId)
    const arrived = firstArrivals.get(quoteId) ?? []
    const missing = expected.filter((id) => !arrived.includes(id))
    if (missing.length > 0) broken.push(`${quoteId}: ${missing.join()} never arrived`)
    else if (arrived.join() !== expected.join()) broken.push(`${quoteId}: the events arrived as ${arrived.join()}`)
  }
  for (const quoteId of firstArrivals.keys())
    if (!recorded.has(quoteId)) broken.push(`${quoteId}: events arrived that were never recorded`)
  return broken
}
