import type { Database } from '../../db/database.ts'
import type { IsoDate } from '../../kernel/dates.ts'
import { invalidFields } from '../../kernel/errors.ts'
import type { ExportPage } from '../export-files/export-page.ts'
import { type FunnelDay, type Period, periodOf } from './funnel.ts'
import { type FunnelRequest, isPartner, listFunnelDays } from './funnel-days.store.ts'
import { findCountedAt } from './funnel-progress.store.ts'

/** What a reader asks for: the last 30 days by default, and every partner. */
export interface FunnelSelection {
  from?: IsoDate | undefined
  to?: IsoDate | undefined
  partnerId?: string | undefined
}

/** Checks which days are asked for. Throws `validation_failed` for a period that is empty or too long, or an unknown partner. */
export async function selectFunnel(
  { db, today }: { db: Database; today: IsoDate },
  { partnerId, ...days }: FunnelSelection,
): Promise<Period & { partnerId: string | undefined; asOf: Date | null }> {
  const period = periodOf(days, today)
  if (partnerId !== undefined && !(await isPartner(db, partnerId))) {
    const remedy = 'Send the id of a partner as GET /operator-api/Partners or "housebill partner list" shows it.'
    const detail = `No partner has the id in partnerId. ${remedy}`
    throw invalidFields([{ pointer: '/query/partnerId', code: 'not_allowed', detail }])
  }
  return { ...period, partnerId, asOf: await findCountedAt(db) }
}

/** A page of the report: one entry for each partner and day with quotes, oldest day first. */
export async function readFunnel(
  { db }: { db: Database },
  { limit, ...request }: FunnelRequest,
): Promise<{ days: FunnelDay[]; hasMore: boolean }> {
  const found = await listFunnelDays(db, { ...request, limit: limit + 1 })
  return { days: found.slice(0, limit), hasMore: found.length > limit }
}

/** How many days are read in one transaction. */
const batchSize = 1_000

/** Reads the whole report in batches, as the pages of a file. */
export async function* funnelPages(
  { db }: { db: Database },
  request: Omit<FunnelRequest, 'after' | 'limit'>,
): AsyncGenerator<ExportPage> {
  let after: FunnelDay | undefined
  let read = 0
  for (;;) {
    const { days, hasMore } = await readFunnel({ db }, { ...request, after, limit: batchSize })
    read += days.length
    yield { rows: days.map((day) => ({ ...day })), cursor: null, share: hasMore ? read / (read + batchSize) : 1 }
    if (!hasMore) return
    after = days.at(-1)
  }
}
