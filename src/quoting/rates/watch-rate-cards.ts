import type { Database, Queryable } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { daysBetween, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { watched } from '../../platform/kernel/refreshed.ts'
import { findLastPricedDay } from './rate-cards.store.ts'

/** A rate card takes about this long to make, check and publish. */
const noticeDays = 14

/** Thrown to warn that no rate card follows those that end soon. */
export class RateCardsEnd extends Error {}

/**
 * Throws RateCardsEnd if the days of sale of the rate cards, or those of their figures, end soon without a successor.
 */
export async function requireRateCards(system: Queryable, today: IsoDate): Promise<void> {
  const lastDay = await findLastPricedDay(system, today)
  if (lastDay === null || daysBetween(today, lastDay) > noticeDays) return
  throw new RateCardsEnd(
    `The rate cards, or the days for which their figures were published, end on ${lastDay}, and no other card follows. Publish the next one.`,
  )
}

/**
 * Returns a function that says how many days are left on the rate cards, read at most every 10 minutes; negative once
 * they have ended, and undefined if they have no end or the database does not respond.
 */
export function watchRateCards(system: Database, clock: Clock): () => Promise<number | undefined> {
  const read = async () => {
    const today = londonDate(clock.now())
    const lastDay = await findLastPricedDay(system, today)
    return lastDay === null ? undefined : daysBetween(today, lastDay)
  }
  return watched(read, 600_000)
}
