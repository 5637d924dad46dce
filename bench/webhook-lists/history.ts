import type { PoolClient } from 'pg'
import type { Database } from '../../src/db/database.ts'
import { newId } from '../../src/kernel/ids.ts'
import { loadInBulk } from '../load-in-bulk.ts'

/** A partner with a month of events, each delivered to one webhook, and a month of challenges sent to that webhook. */
export interface History {
  partnerId: string
  webhookId: string
  events: number
}

/** How many verification challenges there are for the webhook, regardless of the number of events. */
export const challengeCount = 40

/**
 * Writes events with their deliveries and attempts, spread over 28 days: four events per quote, the same number of each of the three
 * types. A tenth of the deliveries have failed, and a tenth are pending until a retry in a day. Also adds the webhook's own messages.
 * Only the oldest of these is pending, because finding it is the slowest case for a filtered list.
 */
export async function writeHistory(db: Database, partnerId: string, events: number): Promise<History> {
  const webhookId = newId('webhook')
  const history = { partnerId, webhookId, events }
  await loadInBulk(db, (client) => insertRows(client, history))
  return history
}

async function insertRows(client: PoolClient, { partnerId, webhookId, events }: History): Promise<void> {
  await client.query(
    `insert into webhooks (webhook_id, partner_id, url, events, status, verification)
     values ($1, $2, 'https://localhost:9443/', '{quote.status.changed,customer.status.changed,customer.payment.updated}',
       'active', 'verified')`,
    [webhookId, partnerId],
  )
  // The ids are as long as real ones. The end of the partner's id makes them unique to this history.
  const mark = partnerId.slice(-8)
  await client.query(
    `insert into events (event_id, partner_id, quote_id, type, data, occurred_at, dispatched_at, position)
     select 'event_' || lpad(n::text, 18, '0') || $3, $1, quote, type,
       case type
         when 'quote.status.changed' then
           json_build_object('quoteId', quote, 'reference', null, 'previousStatus', 'draft', 'status', 'PackagesSelected', 'reason', null)
         when 'customer.status.changed' then
           json_build_object('customerId', customer, 'quoteId', quote, 'reference', null,
             'previousStatus', 'active', 'status', 'PersonalInfoComplete', 'reason', null)
         else
           json_build_object('customerId', customer, 'quoteId', quote, 'reference', null,
             'previousPaymentStatus', 'setup_started', 'paymentStatus', 'ready')
       end,
       happened, happened, nextval('event_positions')
     from generate_series(1, $2::integer) n
     cross join lateral (
       select 'quote_' || lpad((n / 4)::text, 18, '0') || $3 as quote, 'tenant_' || lpad((n / 4)::text, 18, '0') || $3 as customer,
         ('{quote.status.changed,customer.status.changed,customer.payment.updated}'::text[])[1 + n / 10 % 3] as type,
         now() - ($2::integer - n) * (interval '28 days' / $2::integer) as happened
     ) one`,
    [partnerId, events, mark],
  )
  await client.query(
    `select make_delivery_history_partition(day::date) from generate_series(now() - interval '29 days', now(), interval '1 day') day`,
  )
  const attempt = `array[json_build_object('attemptNumber', 1, 'startedAt', made, 'durationMs', 12, 'requestHeaders', json_build_object(
      'content-type', 'application/json', 'user-agent', 'Housebill-Webhooks/1', 'webhook-id', message_id, 'webhook-timestamp', '1795166950',
      'webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='),
    'responseStatus', case when outcome = 'delivered' then 200 else 503 end, 'responseBody', '',
    'error', case when outcome <> 'delivered' then 'The receiver answered with status 503 instead of 2xx.' end)]`
  const columns =
    'delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, own_body, created_at, attempts'
  const rows = `(
    select replace(event_id, 'event', 'delivery') as delivery_id, event_id as message_id, event_id, type as event_type, quote_id, event_number,
      null as own_body, occurred_at as made,
      case event_number % 10 when 0 then 'failed' when 5 then 'pending' else 'delivered' end as outcome
    from events where partner_id = $1
    union all
    select 'delivery_own' || lpad(n::text, 15, '0') || $4, 'event_own' || n, null, 'webhook.verification', null, null, '{}',
      now() - ($3::integer - n) * (interval '28 days' / $3::integer),
      case when n = 1 then 'pending' when n % 2 = 0 then 'failed' else 'delivered' end
    from generate_series(1, $3::integer) n
  ) one`
  const values = [partnerId, webhookId, challengeCount, mark]
  const carried = `delivery_id, $1, $2, message_id, event_id, event_type, quote_id, event_number, own_body, made, ${attempt}`
  await client.query(
    `insert into delivery_queue (${columns}, attempt_count, next_attempt_at)
     select ${carried}, 1, now() + interval '1 day' from ${rows} where outcome = 'pending'`,
    values,
  )
  await client.query(
    `insert into delivery_history (${columns}, attempt_count, status, finished_at)
     select ${carried}, 1, outcome, made from ${rows} where outcome <> 'pending'`,
    values,
  )
}
