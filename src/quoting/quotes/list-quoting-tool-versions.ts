import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { listRateCardsOnSale, type PublishedRateCard } from '../rates/rate-cards.store.ts'

/** Spec: GET /Quotes/quoting-tool-versions. The versions on sale today; the first is the default (latest published). */
export function listQuotingToolVersions({ db }: { db: Database }, caller: Caller): Promise<PublishedRateCard[]> {
  return listRateCardsOnSale(db, caller.partnerId, londonDate(caller.now))
}
