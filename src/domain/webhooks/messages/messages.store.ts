import { sql } from '../../../db/sql.ts'

/**
 * The message body of an event `e`, the same for every webhook and attempt (docs/api-behaviour.md#webhooks), built wherever it
 * is sent or shown. Nothing needs escaping: ids and types are ours, and `data` is JSON as it was written.
 */
export const eventBody = sql`
  '{"id":"' || e.event_id || '","type":"' || e.type
  || '","timestamp":"' || to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","data":' || e.data::text || '}'`

/**
 * Of a delivery `d`: what is sent. A message of a webhook's own is kept with its delivery, as are copies from before migration 0026. The
 * event is looked up only where neither is there.
 */
export const deliveryBody = sql`coalesce(d.own_body, (
  select ${eventBody} from events e where e.event_id = d.event_id and e.partner_id = d.partner_id))`
