import type { Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** Why nothing is collected from a customer. */
type HoldCause = 'death' | 'tenancy_end'

/** How many days after the end of a hold the payments are taken that fell due meanwhile. */
export const daysAfterHold = 10

/** From what on, and how long, nothing is collected. */
interface Hold {
  cause: HoldCause
  /** Only payments that are due after this day are held; null for everything. */
  dueAfter: IsoDate | null
  /** The last day of the hold; null until it is lifted. */
  until: IsoDate | null
  /** On the partner's clock. */
  now: Date
}

interface Held {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
}

/**
 * Stops collecting from a customer, in place of an earlier hold of the same cause. What falls due meanwhile is taken
 * ten days after the end of the hold, without a late fee. The caller holds the quote's row lock, as whoever collects.
 */
export async function holdCollecting(
  tx: Tx,
  { partnerId, customerId }: Held,
  { cause, dueAfter, until, now }: Hold,
): Promise<void> {
  await liftHold(tx, { partnerId, customerId }, { cause, now })
  await tx.query(sql`
    insert into collecting_holds (partner_id, customer_id, cause, due_after, until, placed_at)
    values (${partnerId}, ${customerId}, ${cause}, ${dueAfter}, ${until}, ${now})`)
}

/** Lifts the hold of this cause, if there is one. The caller holds the quote's row lock. */
export async function liftHold(
  tx: Tx,
  { partnerId, customerId }: Held,
  { cause, now }: Pick<Hold, 'cause' | 'now'>,
): Promise<void> {
  await tx.query(sql`
    update collecting_holds set lifted_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId} and cause = ${cause} and lifted_at is null`)
}

/** The first day without the hold `h`; null while nobody knows it. */
const releasedOn = sql`least((h.lifted_at at time zone 'Europe/London')::date, h.until + 1)`

/** The holds `h` that the entry `e` fell under: it was due before they ended. */
const holdsOf = sql`
  from collecting_holds h
 where h.partner_id = e.partner_id and h.customer_id = e.customer_id
   and (h.due_after is null or e.due_on > h.due_after) and e.due_on <= coalesce(${releasedOn}, 'infinity')`

/** The customers of whom a hold ended between these times, by `partner_id` and `customer_id`. */
export function releasedBetween(from: Sql, to: Sql): Sql {
  return sql`select distinct partner_id, customer_id from collecting_holds
              where least(lifted_at, (until + 1)::timestamptz) between ${from} and ${to}`
}

/** The day on which the entry `e` is taken, after the holds that it fell under; null if it fell under none. */
export const takenAfterHold = sql`
  (select max(coalesce(${releasedOn}, 'infinity')) + ${daysAfterHold}::int ${holdsOf})`

/** Whether a hold keeps the entry `e` from being collected on this day. */
export function isHeldOn(day: Sql): Sql {
  return sql`exists (select ${holdsOf} and ${day} < coalesce(${releasedOn} + ${daysAfterHold}::int, 'infinity'))`
}

/** Whether the customer of the entry `e` is said to have died: nothing is paid back to a card. */
export const isHeldForDeath = sql`exists (
  select from collecting_holds h
   where h.partner_id = e.partner_id and h.customer_id = e.customer_id and h.cause = 'death' and h.lifted_at is null)`

/** Whether the entry `e` fell due under a hold, so that no fee is charged if it fails. */
export const fellUnderHold = sql`exists (select ${holdsOf})`
