import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Message } from './message.ts'

/**
 * The body of the message of an event `e`, the same for every webhook and attempt (decisions: webhooks). No member needs escaping: ids
 * and types are ours, and `data` is JSON already.
 */
const eventBody = sql`
  '{"id":"' || e.event_id || '","type":"' || e.type
  || '","timestamp":"' || to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","data":' || e.data::text || '}'`

/** What a delivery `d` sends: the message of its event, or its own. */
export const deliveryBody = sql`coalesce(d.own_body, (
  select ${eventBody} from events e where e.event_id = d.event_id and e.partner_id = d.partner_id))`

/** Queues a message of the webhook's own, such as its verification: due at once and in no quote's order. Returns the delivery's id. */
export async function insertMessage(tx: Tx, partnerId: string, webhookId: string, message: Message): Promise<string> {
  const deliveryId = newId('delivery')
  await tx.query(sql`
    insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_type, own_body)
    values (${deliveryId}, ${partnerId}, ${webhookId}, ${message.messageId}, ${message.type}, ${message.body})`)
  tx.wakeAfterCommit('deliveries')
  return deliveryId
}
