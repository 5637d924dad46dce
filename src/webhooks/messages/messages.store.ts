import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { verificationType } from '../delivery/response-outcome.ts'
import type { Message } from './message.ts'

/**
 * Queues a message about the webhook itself, such as its verification. It is due immediately and does not wait for any
 * events. Returns the delivery's id.
 */
export async function insertMessage(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  message: Message,
): Promise<Id<'delivery'>> {
  const deliveryId = newId('delivery')
  await tx.query(sql`
    insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_type, own_body)
    values (${deliveryId}, ${partnerId}, ${webhookId}, ${message.messageId}, ${message.type}, ${message.body})`)
  tx.wakeAfterCommit('deliveries')
  return deliveryId
}

/** Queues each message for each webhook, in this order. */
export async function insertMessages(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookIds: readonly Id<'webhook'>[],
  messages: readonly Message[],
): Promise<void> {
  const rows = messages.flatMap((message) => webhookIds.map((webhookId) => ({ webhookId, ...message })))
  await tx.query(sql`
    insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_type, own_body)
    select given.delivery_id, ${partnerId}, given.webhook_id, given.message_id, given.type, given.body
      from unnest(${rows.map(() => newId('delivery'))}::text[], ${rows.map((row) => row.webhookId)}::text[],
                  ${rows.map((row) => row.messageId)}::text[], ${rows.map((row) => row.type)}::text[],
                  ${rows.map((row) => row.body)}::text[])
             with ordinality as given (delivery_id, webhook_id, message_id, type, body, ordinal)
     order by given.ordinal`)
  tx.wakeAfterCommit('deliveries')
}

/** A receiving host, and whose messages may have gone there. */
export interface ReceivingHost {
  host: string
  /** All of the partner's webhooks. */
  webhookIds: readonly Id<'webhook'>[]
  /** Those whose URL has this host now. */
  presentIds: readonly Id<'webhook'>[]
}

/**
 * The ages in milliseconds, youngest first, of the last hour's attempts at challenges, or else at test messages, to
 * this host, at most `limit`. A message that waits for an attempt has the age 0.
 */
export async function listRecentSendings(
  tx: Tx,
  partnerId: Id<'partner'>,
  { host, webhookIds, presentIds }: ReceivingHost,
  areChallenges: boolean,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ ageMs: number }>(sql`
    with own as (
      select webhook_id, attempts, status from deliveries
      where partner_id = ${partnerId} and webhook_id = any(${webhookIds}::text[]) and event_id is null
        and (event_type = ${verificationType}) = ${areChallenges}::boolean
        and (status = 'pending' or finished_at > statement_timestamp() - interval '1 hour')
    ),
    sent as (
      select (attempt ->> 'startedAt')::timestamptz as at from own cross join unnest(own.attempts) attempt
       where attempt ->> 'host' = ${host}
      union all
      select statement_timestamp() from own where status = 'pending' and webhook_id = any(${presentIds}::text[])
    )
    select extract(epoch from statement_timestamp() - at)::double precision * 1000 as "ageMs" from sent
    where at > statement_timestamp() - interval '1 hour'
    order by at desc limit ${limit}`)
  return rows.map(({ ageMs }) => ageMs)
}
