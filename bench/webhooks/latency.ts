import { setTimeout as sleep } from 'node:timers/promises'
import { recordEvent } from '../../src/events/record-event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { runSteadyLoad } from '../steady-load.ts'
import { type DeliveringService, type Subscriber, statusChangeEvent } from './delivering-service.ts'
import type { Receivers } from './receivers.ts'

export interface Latencies {
  /** The time from an event's commit to its arrival, in milliseconds, for every delivery to a measured receiver. */
  times: number[]
  /** The number of deliveries that had not arrived two seconds after the last commit. */
  missing: number
}

export interface SteadyEvents {
  /** The subscriber at each index has one webhook, which sends to the receiver with the same index. */
  subscribers: readonly Subscriber[]
  eventsPerSecond: number
  seconds: number
  /** Receivers that accept messages and never respond; they are not measured. */
  hanging?: readonly number[]
  /**
   * Other receivers to leave out, so that this measurement covers the same receivers as the measurement it is compared
   * with.
   */
  excluded?: readonly number[]
}

const settleMs = 2_000

/** Writes events through the outbox at a steady rate, each in its own transaction, for each subscriber in turn. */
export async function measureLatency(
  { db }: DeliveringService,
  receivers: Receivers,
  { subscribers, eventsPerSecond, seconds, hanging = [], excluded = [] }: SteadyEvents,
): Promise<Latencies> {
  const quotes = new Map<string, { receiver: number; committedAt: number }>()
  receivers.begin(eventsPerSecond * seconds, hanging)
  await runSteadyLoad(eventsPerSecond, seconds, async (index) => {
    const receiver = index % subscribers.length
    const caller = subscribers[receiver]?.caller
    if (caller === undefined) throw new Error('there are no subscribers')
    const quoteId = newId('quote')
    await inTransaction(db, {}, (tx) => recordEvent(tx, caller, statusChangeEvent(quoteId)))
    quotes.set(quoteId, { receiver, committedAt: Date.now() })
  })
  await sleep(settleMs)
  const arrivals = new Map(
    (await receivers.collect()).map(({ receiver, messageId, at }) => [`${receiver} ${messageId}`, at]),
  )
  const { rows: events } = await db.pool.query<{ event_id: string; quote_id: string }>(
    'select event_id, quote_id from events where quote_id = any($1)',
    [[...quotes.keys()]],
  )
  const result: Latencies = { times: [], missing: 0 }
  for (const { event_id, quote_id } of events) {
    const quote = quotes.get(quote_id)
    if (quote === undefined || hanging.includes(quote.receiver) || excluded.includes(quote.receiver)) continue
    const at = arrivals.get(`${quote.receiver} ${event_id}`)
    if (at === undefined) result.missing += 1
    else result.times.push(Math.max(0, at - quote.committedAt))
  }
  return result
}
