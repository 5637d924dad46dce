import { noLabels, type QuoteLabels } from '../../events/event.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { openReference } from '../../quoting/quotes/reference.ts'

/**
 * The body of the message for an event `e`, which is the same for every webhook and attempt.
 * Nothing needs escaping, because we generate ids and types ourselves and `data` is already JSON.
 */
const eventBody = sql`
  '{"id":"' || e.event_id || '","type":"' || e.type
  || '","timestamp":"' || to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","data":' || e.data::text || '}'`

/**
 * The SQL of delivery `d`'s body. A message about the webhook itself is stored with its delivery; any other body is
 * made from the event.
 */
export const deliveryBody = sql`coalesce(d.own_body, (
  select ${eventBody} from events e where e.event_id = d.event_id and e.partner_id = d.partner_id))`

/** The SQL of the `traceparent` of the request that caused delivery `d`; null if no request did. */
export const deliveryTrace = sql`(
  select e.traceparent from events e where e.event_id = d.event_id and e.partner_id = d.partner_id)`

/** The SQL of the labels of the quote that an event or delivery is about; null if it is about no quote. */
export function labelsOf(row: Sql): Sql {
  return sql`(select json_build_object('reference', q.reference_encrypted, 'branch', q.branch, 'soldBy', q.sold_by)
                from quotes q
               where q.partner_id = ${row}.partner_id and q.quote_id = ${row}.quote_id)`
}

/** The labels of a quote as they are stored: the reference is encrypted. Null if an event is about no quote. */
export type StoredLabels = QuoteLabels | null

/** Decrypts the reference. Throws `DecryptionError`. */
export function openLabels(cipher: FieldCipher, quoteId: Id<'quote'> | null, labels: StoredLabels): QuoteLabels {
  if (quoteId === null || labels === null) return noLabels
  return { ...labels, reference: openReference(cipher, quoteId, labels.reference) }
}

/** A message as it is stored: its body has null in place of the quote's labels. */
export interface StoredBody {
  quoteId: Id<'quote'> | null
  body: string
  labels: StoredLabels
}

const placeOfLabels = membersOf(noLabels)

/**
 * The body that is sent, with the quote's labels. The members before them contain only values that we generate, so the
 * first match is the members. Throws `DecryptionError`.
 */
export function completeBody(cipher: FieldCipher, { quoteId, body, labels }: StoredBody): string {
  return body.replace(placeOfLabels, () => membersOf(openLabels(cipher, quoteId, labels)))
}

/** The labels as members of an object, in the order in which events have them. */
function membersOf({ reference, branch, soldBy }: QuoteLabels): string {
  return JSON.stringify({ reference, branch, soldBy }).slice(1, -1)
}
