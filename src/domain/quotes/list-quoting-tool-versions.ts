import type { Database } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { Caller } from '../auth/caller.ts'
import { listCardsOnSale, type PublishedCard } from '../rates/rate-cards.store.ts'

/** Spec: GET /Quotes/quoting-tool-versions. The versions that may be sold today, the default (latest published) first. */
export function listQuotingToolVersions({ db }: { db: Database }, caller: Caller): Promise<PublishedCard[]> {
  return listCardsOnSale(db, londonDate(caller.now))
}
