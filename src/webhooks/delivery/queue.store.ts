import type { Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { GivenUpReason } from './delivery.ts'

/*
 * The order of a quote's first attempts is decided when deliveries are leased: a delivery that is `in_order` waits
 * while another such delivery of its webhook and quote is being sent, or is still queued with a lower event number.
 * Recording a first attempt removes the delivery from the queue, or clears `in_order`, so the deliveries behind it need
 * no update.
 */

/** True if no worker is sending the queued delivery `d`: it is not leased or its lease has expired. */
export const isNotLeased = sql`(d.leased_until is null or d.leased_until <= statement_timestamp())`

/**
 * True if the queued delivery `d` has to wait because the first attempt at a different event of its quote has not
 * ended.
 */
export const waitsForEarlierEvent = sql`(d.in_order and exists (
  select from delivery_queue ahead
  where ahead.webhook_id = d.webhook_id and ahead.partner_id = d.partner_id and ahead.quote_id = d.quote_id
    and ahead.in_order
    and ahead.delivery_id <> d.delivery_id
    and (ahead.event_number < d.event_number or ahead.leased_until > statement_timestamp())
))`

/**
 * A subquery for a lateral join with a receiver `r` and a `kind` of message: the receiver's deliveries that are due and
 * can be sent, oldest first. Reads only the `r.max_considered` oldest deliveries, however many are pending. The limit
 * is a column, not a number, because PostgreSQL then expects few rows and reads them in index order even before it has
 * statistics on a new backlog.
 */
export const sendableDeliveries = sql`
  select d.delivery_id, d.next_attempt_at from (
    select o.* from delivery_queue o
    where o.webhook_id = r.webhook_id and o.is_event = kind.is_event and o.next_attempt_at <= statement_timestamp()
    order by o.next_attempt_at limit r.max_considered
  ) d
  where d.partner_id = r.partner_id and ${isNotLeased} and not ${waitsForEarlierEvent}
  order by d.next_attempt_at`

/**
 * How many of a webhook's oldest deliveries are considered. This covers the events of many quotes; a single quote with
 * this many pending events would delay the other quotes of its webhook.
 */
export const maxCandidateDeliveries = 1_000

/**
 * The body of a recursive query that skips through the index: one row per webhook with queued deliveries, then a final
 * row with a null.
 */
export const webhooksWithQueuedDeliveries = sql`
  webhooks_waiting (webhook_id) as (
    (select d.webhook_id from delivery_queue d order by d.webhook_id limit 1)
    union all
    select (select d.webhook_id from delivery_queue d where d.webhook_id > w.webhook_id order by d.webhook_id limit 1)
    from webhooks_waiting w where w.webhook_id is not null
  )`

/** The columns that are kept when a delivery moves between the queue and the history. */
export const sharedDeliveryColumns = sql`
  delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body, created_at,
  attempt_count,
  attempts`

/**
 * Moves queued deliveries to the history as failed, because they will not be sent any more. `which` selects their ids.
 * Returns how many it moved.
 */
export async function giveUpDeliveries(tx: Tx, which: Sql, reason: GivenUpReason): Promise<number> {
  const rows = await tx.query(sql`
    with ended as (delete from delivery_queue where delivery_id in (${which}) returning *)
    insert into delivery_history (${sharedDeliveryColumns}, status, given_up_because)
    select ${sharedDeliveryColumns}, 'failed', ${reason} from ended
    returning delivery_id`)
  return rows.length
}
