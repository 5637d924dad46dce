import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { ExportPage } from '../export-files/export-page.ts'
import { type FunnelDay, type Period, periodOf, type SalesWeek } from './funnel.schema.ts'
import {
  countFunnelDays,
  countSalesWeeks,
  type FunnelRequest,
  isPartner,
  readSnapshotBoundary,
} from './funnel-days.store.ts'

/** What a reader asks for: the last 30 days by default, and every partner. */
export interface FunnelSelection {
  from?: IsoDate | undefined
  to?: IsoDate | undefined
  partnerId?: string | undefined
}

/**
 * Checks which days are asked for. Throws `validation_failed` for a period that is empty or too long, or an unknown
 * partner.
 */
export async function selectFunnel(
  { db, today }: { db: Database; today: IsoDate },
  { partnerId, ...days }: FunnelSelection,
): Promise<Period & { partnerId: string | undefined; asOf: Date }> {
  const period = periodOf(days, today)
  if (partnerId !== undefined && !(await isPartner(db, partnerId))) {
    const remedy = 'Send the id of a partner as GET /operator-api/Partners shows it.'
    const detail = `No partner has the id in partnerId. ${remedy}`
    throw invalidFields([{ pointer: '/query/partnerId', code: 'not_allowed', detail }])
  }
  return { ...period, partnerId, asOf: await readSnapshotBoundary(db) }
}

/** A page of the report: one entry for each partner and day with quotes, oldest day first. */
export async function readFunnel(
  { db }: { db: Database },
  { limit, ...request }: FunnelRequest & { limit: number },
): Promise<{ days: FunnelDay[]; hasMore: boolean }> {
  const found = await countFunnelDays(db, { ...request, limit: limit + 1 })
  return { days: found.slice(0, limit), hasMore: found.length > limit }
}

/** How many days are counted in one statement. */
const daysAtOnce = 31

/** Counts the whole report in batches of days, as the pages of a file. */
export async function* funnelPages(
  { db }: { db: Database },
  { from, to, partnerId }: Omit<FunnelRequest, 'after' | 'limit'>,
): AsyncGenerator<ExportPage> {
  for (let first = from; first <= to; first = addDays(first, daysAtOnce)) {
    const days = await countFunnelDays(db, {
      from: first,
      to: earlierOf(addDays(first, daysAtOnce - 1), to),
      partnerId,
    })
    yield { rows: days.map((day) => ({ ...day })), cursor: null, share: 1 }
  }
}

/**
 * GET /Reports/sales: what the partner quoted and sold in each week and branch. Throws `validation_failed` for a period
 * that is empty or too long.
 */
export async function readSales(
  { db }: { db: Database },
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  { branch, soldBy, ...days }: Omit<FunnelSelection, 'partnerId'> & Record<'branch' | 'soldBy', string | undefined>,
): Promise<Period & { weeks: SalesWeek[] }> {
  const period = periodOf(days, londonDate(now))
  return { ...period, weeks: await countSalesWeeks(db, { ...period, partnerId, branch, soldBy }) }
}
