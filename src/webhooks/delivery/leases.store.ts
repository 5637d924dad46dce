import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { referenceOf } from '../../quoting/quotes/quotes.store.ts'
import { deliveryBody, deliveryTrace } from '../messages/messages.store.ts'
import type { StoredSecret } from '../secrets/secret.ts'
import { isNotLeased, maxCandidateDeliveries, sendableDeliveries, webhooksWithQueuedDeliveries } from './queue.store.ts'

/** A delivery that this worker may send until its lease expires. */
export interface LeasedDelivery {
  deliveryId: Id<'delivery'>
  leaseId: string
  partnerId: Id<'partner'>
  webhookId: Id<'webhook'>
  messageId: string
  type: string
  quoteId: Id<'quote'> | null
  /** The body without the quote's reference. */
  body: string
  referenceEncrypted: string | null
  /** Of the request that caused the event; null if no request did. */
  traceparent: string | null
  /** How many attempts have been made so far: in total, and since the last redelivery, if there was one. */
  attemptCount: number
  roundAttempts: number
  url: string
  /** All secrets with which messages are signed now, newest first. */
  secrets: readonly StoredSecret[]
  /**
   * The webhook's revision at the time of the lease. If it has changed since then, the outcome says nothing about the
   * webhook as it is now.
   */
  webhookRevision: number
  /** Whether the receiver has echoed a challenge since the webhook got its URL. */
  isVerified: boolean
  /** Whether the message is about an event; if not, it is a challenge or a test message. */
  isEvent: boolean
  /** Whether the webhook's last attempt failed. */
  isFailing: boolean
}

/** How many deliveries a worker may send at once. */
export interface SendingLimits {
  /**
   * The limits for all webhooks together and for all failing ones together, so that receivers that hang cannot use up
   * every slot.
   */
  slots: number
  failingSlots: number
  /**
   * How many messages may be sent at once to a healthy webhook and to a failing one, not counting one message about the
   * webhook itself.
   */
  perWebhook: number
  perFailingWebhook: number
  leaseSeconds: number
  /** `WEBHOOK_REQUIRE_VERIFICATION`: if true, events wait until their webhook is verified. */
  requireVerification: boolean
}

/**
 * Leases as many due deliveries as there is room for, given how many this worker is `sending` to each webhook. The
 * oldest delivery of every webhook comes first, then the second of each, and so on. A webhook's backlog does not slow
 * down the others. Compares with statement_timestamp() because an index scan cannot stop at clock_timestamp(), which
 * changes during the statement.
 */
export async function leaseDueDeliveries(
  tx: Tx,
  limits: SendingLimits,
  sending: ReadonlyMap<string, number>,
): Promise<LeasedDelivery[]> {
  return tx.query<LeasedDelivery>(sql`
    with recursive ${webhooksWithQueuedDeliveries},
    receivers as materialized (
      select w.webhook_id, w.partner_id, w.failing_since is not null as is_failing,
             ${maxCandidateDeliveries}::integer as max_considered,
        not ${limits.requireVerification}::boolean or w.verification = 'verified' as takes_events,
        case when w.failing_since is null then ${limits.perWebhook}::integer else ${limits.perFailingWebhook}::integer
        end
          - coalesce(busy.sending, 0) as room
      from webhooks_waiting join webhooks w using (webhook_id)
      left join unnest(${[...sending.keys()]}::text[], ${[...sending.values()]}::integer[]) as busy (webhook_id,
        sending)
        using (webhook_id)
      where w.status = 'active'
    ),
    due as (
      select r.is_failing, picked.*
      from receivers r cross join unnest(array[false, true]) kind (is_event)
      cross join lateral (
        select sendable.*, row_number() over () as turn from (${sendableDeliveries}) sendable
        where r.takes_events or not kind.is_event
        limit greatest(0, case when kind.is_event then r.room else least(r.room, 1) end)
      ) picked
    ),
    chosen as (
      select delivery_id from (
        select due.*, row_number() over (partition by is_failing order by turn, next_attempt_at) as rank from due
      ) ranked
      where not is_failing or rank <= ${limits.failingSlots}
      order by turn, next_attempt_at limit ${limits.slots}
    ),
    locked as (
      select own.delivery_id from chosen cross join lateral (
        select d.delivery_id from delivery_queue d where d.delivery_id = chosen.delivery_id and ${isNotLeased}
        limit 1 for update skip locked
      ) own
    ),
    leased as (
      update delivery_queue d
      set lease_id = ${newId('claim')}, leased_until = clock_timestamp() + ${limits.leaseSeconds} * interval '1 second'
      from locked where d.delivery_id = locked.delivery_id
      returning d.*
    )
    select d.delivery_id as "deliveryId", d.lease_id as "leaseId", d.partner_id as "partnerId",
           d.webhook_id as "webhookId",
      d.message_id as "messageId", d.event_type as "type", d.quote_id as "quoteId",
      ${deliveryBody} as "body", ${referenceOf(sql`d`)} as "referenceEncrypted", ${deliveryTrace} as "traceparent",
      d.attempt_count as "attemptCount",
      d.round_attempts as "roundAttempts", w.url, w.revision as "webhookRevision",
      w.failing_since is not null as "isFailing",
      w.verification = 'verified' as "isVerified", d.is_event as "isEvent",
      (select json_agg(json_build_object('secretNumber', s.secret_number, 'encrypted', s.secret_encrypted)
                       order by s.secret_number desc)
        from webhook_secrets s
        where s.webhook_id = w.webhook_id and s.partner_id = w.partner_id
          and (s.signs_until is null or s.signs_until > clock_timestamp())) as "secrets"
    from leased d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    order by d.next_attempt_at`)
}
