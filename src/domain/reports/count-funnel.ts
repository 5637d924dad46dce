import type { Origin } from '../../db/access.ts'
import { inQueueTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { IsoDate } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import { listPartners } from '../auth/partners.store.ts'
import { findFeedState } from '../contract-feed/feed-rows.store.ts'
import { listDaysOfQuotes, recountDays } from './funnel-days.store.ts'
import { findEndOfStep, findProgress, listChangedQuotes, readPresent, saveProgress } from './funnel-progress.store.ts'

/*
 * The report reads one row for each partner and day. Requests never touch these rows: each count finds in the audit log, which a trigger writes, which
 * quotes have changed, and counts the days of those quotes anew. So a count that is repeated, interrupted or overtaken by another does no harm.
 */

export interface CountDependencies {
  databases: Databases
  /** Ends the count early, at a place from which the next one continues. */
  signal: AbortSignal
  /** Called while every day is counted: how many days have been counted, and the share of the whole work, from 0 to 1. */
  onProgress?: (days: number, done: number) => void
}

const origin: Origin = { actor: 'worker', operation: 'countFunnel' }

/** How many transactions are followed, and how many days of a partner are counted, in one step. */
const transactionsAtOnce = 5_000
const daysAtOnce = 7

/**
 * Brings the funnel up to date: counts the days of all quotes that have changed since the last count. The first time, after a restore of the
 * database, and with `everything`, counts every day.
 */
export async function countFunnel(
  { databases, signal, onProgress }: CountDependencies,
  { everything = false }: { everything?: boolean } = {},
): Promise<void> {
  const { system } = databases
  const { epoch } = await findFeedState(system, 'contracts')
  const progress = await findProgress(system)
  if (everything || progress?.epoch !== epoch)
    return countEverything({ databases, signal, ...(onProgress && { onProgress }) }, epoch)
  // Read once and first: what ends from now on is found by the next count, and perhaps by this one too.
  const { endedBelow, at } = await readPresent(system)
  for (let from: string | null = progress.countedBelow; from !== null; ) {
    const start: string = from
    const next = await inQueueTransaction(system, (tx) => findEndOfStep(tx, start, transactionsAtOnce))
    const changed = await inQueueTransaction(system, (tx) => listChangedQuotes(tx, start, next))
    for (const { partnerId, quoteIds } of changed) await countDaysOf({ databases, signal }, partnerId, quoteIds)
    if (signal.aborted) return
    const countedBelow = next !== null && BigInt(next) < BigInt(endedBelow) ? next : endedBelow
    await saveProgress(system, { epoch, countedBelow, countedAt: next === null ? at : undefined })
    from = next
  }
}

async function countEverything(deps: CountDependencies, epoch: string): Promise<void> {
  const { system } = deps.databases
  const { endedBelow, at } = await readPresent(system)
  const partners = await listPartners(system)
  let counted = 0
  for (const [index, { partnerId }] of partners.entries())
    await countDaysOf(deps, partnerId, undefined, (days, share) => {
      counted += days
      deps.onProgress?.(counted, (index + share) / partners.length)
    })
  if (!deps.signal.aborted) await saveProgress(system, { epoch, countedBelow: endedBelow, countedAt: at })
}

async function countDaysOf(
  { databases, signal }: CountDependencies,
  partnerId: Id<'partner'>,
  quoteIds?: readonly string[],
  onDays?: (days: number, share: number) => void,
): Promise<void> {
  if (signal.aborted) return
  const db = databases.forPartner(partnerId, origin)
  const days = await inQueueTransaction(db, (tx) => listDaysOfQuotes(tx, partnerId, quoteIds))
  const parts = inParts(days)
  for (const [index, some] of parts.entries()) {
    if (signal.aborted) return
    await inQueueTransaction(db, (tx) => recountDays(tx, partnerId, some))
    onDays?.(some.length, (index + 1) / parts.length)
  }
}

function inParts(days: readonly IsoDate[]): IsoDate[][] {
  return Array.from({ length: Math.ceil(days.length / daysAtOnce) }, (_, part) =>
    days.slice(part * daysAtOnce, (part + 1) * daysAtOnce),
  )
}
