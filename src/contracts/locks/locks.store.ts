import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { PricedQuote } from '../../quoting/quotes/reprice.ts'

/** An active quote whose lock has ended on its partner's clock. */
export interface EndedLock {
  quoteId: Id<'quote'>
  /** As PostgreSQL writes it, because a `Date` loses the microseconds. */
  lockedUntil: string
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
}

/**
 * Quotes of all partners whose lock has ended, the longest ago first, from the one after `after`. `now` is real time;
 * each partner's clock is added to it.
 */
export function listEndedLocks(
  db: Queryable,
  { now, after, limit }: { now: Date; after: EndedLock | undefined; limit: number },
): Promise<EndedLock[]> {
  return db.query<EndedLock>(sql`
    select q.quote_id as "quoteId", q.locked_until::text as "lockedUntil", q.partner_id as "partnerId",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from quotes q join partners p using (partner_id)
     where q.stage = 'active' and q.locked_until <= ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)
       ${
         after === undefined
           ? empty
           : sql`and (q.locked_until, q.quote_id) > (${after.lockedUntil}::timestamptz, ${after.quoteId})`
       }
     order by q.locked_until, q.quote_id limit ${limit}`)
}

/** Whether somebody of a quote `q` has a contract, or agreed to one that can take effect. Looked up for each quote. */
const hasSigned = sql`exists (select from contracts k where k.quote_id = q.quote_id and k.partner_id = q.partner_id
                               and k.status in ('agreed', 'in_force') offset 0)`

/** The condition of the indexes by card, which no other statement has. */
const ofCard = sql`q.quoting_tool_version_id > ''`
const isCompleted = sql`q.stage = 'completed' and ${ofCard}`

/** Whether an open quote `q` of a partner `p` can still be agreed to at its price. Clocks of partners never go back. */
const isOnOffer = (now: Date): Sql => sql`q.stage = 'open' and ${ofCard} and q.expires_at > ${now}
  and q.expires_at > ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)`

const isLocked = (now: Date): Sql => sql`q.stage = 'active' and ${ofCard}
  and coalesce(q.locked_until, 'infinity') > ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)`

/** A household with what its partner's clock is ahead. */
export type HouseholdOnCard = Omit<EndedLock, 'lockedUntil'>

const householdColumns = sql`
  q.quote_id as "quoteId", q.partner_id as "partnerId", p.clock_offset_seconds::float8 as "clockOffsetSeconds"`

/**
 * Quotes of all partners that can be agreed to at the prices of a card on which nobody is to sign any more, and that
 * nobody has signed: by id, from the one after `after`. `now` is real time.
 */
export function listQuotesToStop(
  db: Queryable,
  { now, after = '', limit }: { now: Date; after: string | undefined; limit: number },
): Promise<HouseholdOnCard[]> {
  const onStopped = (condition: Sql) => sql`
    (select ${householdColumns}
       from rate_cards r join quotes q using (quoting_tool_version_id) join partners p using (partner_id)
      where r.signing_stopped_at is not null and ${condition} and q.quote_id || '' > ${after} and not ${hasSigned}
      order by q.quote_id || '' limit ${limit})`
  return db.query<HouseholdOnCard>(sql`
    ${onStopped(isOnOffer(now))} union all ${onStopped(isLocked(now))} order by "quoteId" limit ${limit}`)
}

/** How many households a card prices: those who can still sign, by stage, and those in which somebody has signed. */
export async function countHouseholdsOnCard(
  db: Queryable,
  { quotingToolVersionId, now }: { quotingToolVersionId: string; now: Date },
): Promise<{ open: number; active: number; signed: number }> {
  const onCard = sql`from quotes q join partners p using (partner_id)
                    where q.quoting_tool_version_id = ${quotingToolVersionId}`
  const [row] = await db.query<{ open: number; active: number; signed: number }>(sql`
    select (select count(*)::int ${onCard} and ${isOnOffer(now)}) as open,
           (select count(*)::int ${onCard} and ${isLocked(now)} and not ${hasSigned}) as active,
           (select count(*)::int ${onCard} and ${isLocked(now)} and ${hasSigned})
             + (select count(*)::int ${onCard} and ${isCompleted} and ${hasSigned}) as signed`)
  return row ?? { open: 0, active: 0, signed: 0 }
}

/** A household in which somebody has signed on a card, with what prices it. Nothing of it is about a person. */
export type SignedOnCard = PricedQuote & Pick<Quote, 'partnerId' | 'quoteId' | 'stage' | 'price'>

/** The households in which somebody has signed on a card: by id, from the one after `after`. `now` is real time. */
export function listSignedOnCard(
  db: Queryable,
  {
    quotingToolVersionId,
    now,
    after = '',
    limit,
  }: { quotingToolVersionId: string; now: Date; after: string | undefined; limit: number },
): Promise<SignedOnCard[]> {
  const inStage = (condition: Sql) => sql`
    (select q.partner_id as "partnerId", q.quote_id as "quoteId", q.stage, q.price, q.address, q.region, q.meter,
            q.bedrooms, q.selected_package_ids as "selectedPackageIds", q.broadband_products as "broadbandProducts",
            q.broadband_start_date::text as "broadbandStartDate",
            q.contract_start_date::text as "contractStartDate", q.contract_end_date::text as "contractEndDate"
       from quotes q join partners p using (partner_id)
      where q.quoting_tool_version_id = ${quotingToolVersionId} and ${condition} and ${hasSigned}
        and q.quote_id > ${after}
      order by q.quote_id limit ${limit})`
  return db.query<SignedOnCard>(sql`
    ${inStage(isLocked(now))} union all ${inStage(isCompleted)} order by "quoteId" limit ${limit}`)
}
