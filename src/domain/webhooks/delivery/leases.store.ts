import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { deliveryBody } from '../messages/messages.store.ts'
import type { StoredSecret } from '../secrets/secret.ts'
import type { Room } from './slots.ts'

/** A delivery this worker may send until its lease ends. */
export interface LeasedDelivery {
  deliveryId: string
  leaseId: string
  partnerId: string
  webhookId: string
  messageId: string
  type: string
  body: string
  /** Attempts before this one, of the current round: a redelivery begins a new one. */
  attemptCount: number
  url: string
  /** All that sign at the moment, the newest first. */
  secrets: readonly StoredSecret[]
  /** As of the lease: the outcome tells of the webhook only while this has not moved on. */
  webhookRevision: number
  /** The webhook's last attempt failed: it gets fewer slots until one succeeds. */
  isFailing: boolean
}

export interface LeaseRequest extends Room {
  /** How many may lie ready for each webhook that is quick. */
  quick: ReadonlyMap<string, number>
  /** With so many of them ready a webhook is left alone: what it has in hand would be read and passed over for a few more. */
  plentiful: number
  /** What this worker has in hand, by webhook. */
  inFlight: ReadonlyMap<string, number>
  leaseSeconds: number
  /** `WEBHOOK_REQUIRE_VERIFICATION`: events wait until their webhook is verified. */
  requireVerification: boolean
}

/** Of a webhook `w`: what sending to it needs. */
const sendingTerms = sql`
  w.url, w.revision as "webhookRevision", w.failing_since is not null as "isFailing",
  (select json_agg(json_build_object('secretNumber', s.secret_number, 'encrypted', s.secret_encrypted)
      order by s.secret_number desc)
    from webhook_secrets s
    where s.webhook_id = w.webhook_id and s.partner_id = w.partner_id
      and (s.signs_until is null or s.signs_until > clock_timestamp())) as "secrets"`

/** Of a delivery `d`: no worker has it in hand, or whoever had it is late. */
export const isFree = sql`(d.leased_until is null or d.leased_until <= statement_timestamp())`

/** Of a recursive query: webhooks for which anything is pending, found by stepping through the index, and a null at the end. */
export const webhooksWaiting = sql`
  webhooks_waiting (webhook_id) as (
    (select d.webhook_id from deliveries d where d.status = 'pending' order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from deliveries d
      where d.status = 'pending' and d.webhook_id > w.webhook_id order by d.webhook_id limit 1
    )
    from webhooks_waiting w where w.webhook_id is not null
  )`

/**
 * Leases what is due, fairly: first the oldest of every webhook, then the second of each, and so on. The webhooks with
 * anything waiting are found by stepping through the index, not by reading what waits, so a backlog of any size at one
 * of them costs the others nothing. What is due is compared with statement_timestamp(): an index scan cannot end at
 * clock_timestamp(), which changes as it goes, and would read the whole backlog. Each that was chosen is looked up on its own (the
 * `limit 1` sees to that): as a join the planner may hold it against all that is pending, where it takes that to be little.
 */
export async function leaseDue(tx: Tx, request: LeaseRequest): Promise<LeasedDelivery[]> {
  const known = [...new Set([...request.inFlight.keys(), ...request.quick.keys()])]
  return tx.query<LeasedDelivery>(sql`
    with recursive ${webhooksWaiting},
    receivers as (
      select w.webhook_id, w.partner_id, w.failing_since is not null as is_failing,
        not ${request.requireVerification}::boolean or w.verification = 'verified' as takes_events,
        case when w.failing_since is null then ${request.perWebhook}::integer else ${request.perFailingWebhook}::integer end
          - coalesce(busy.in_flight, 0) as open_room,
        case when w.failing_since is null then least(coalesce(busy.may_lie_ready, 0), ${request.readyForQuick}::integer) else 0 end
          as ready_room
      from webhooks_waiting join webhooks w using (webhook_id)
      left join unnest(
        ${known}::text[], ${known.map((webhookId) => request.inFlight.get(webhookId) ?? 0)}::integer[],
        ${known.map((webhookId) => request.quick.get(webhookId) ?? 0)}::integer[]
      ) as busy (webhook_id, in_flight, may_lie_ready) using (webhook_id)
      where w.status = 'active'
        and coalesce(busy.in_flight, 0) <= ${request.perWebhook}::integer + ${request.plentiful}::double precision
    ),
    candidates as (
      select due.delivery_id, due.next_attempt_at, r.is_failing, r.open_room, r.open_room + r.ready_room as room,
        row_number() over (partition by r.webhook_id order by due.is_event, due.next_attempt_at, due.event_number) as turn
      from receivers r
      cross join lateral (
        (select d.delivery_id, d.next_attempt_at, d.is_event, d.event_number from deliveries d
          where d.webhook_id = r.webhook_id and d.partner_id = r.partner_id and d.status = 'pending'
            and d.is_event = false and d.next_attempt_at <= statement_timestamp() and ${isFree}
          order by d.next_attempt_at limit greatest(r.open_room + r.ready_room, 0))
        union all
        (select d.delivery_id, d.next_attempt_at, d.is_event, d.event_number from deliveries d
          where d.webhook_id = r.webhook_id and d.partner_id = r.partner_id and d.status = 'pending'
            and d.is_event = true and d.next_attempt_at <= statement_timestamp() and ${isFree} and r.takes_events
          order by d.next_attempt_at limit greatest(r.open_room + r.ready_room, 0))
      ) due
    ),
    roomy as (
      select *, turn > open_room as is_ready, row_number() over (partition by is_failing order by turn, next_attempt_at) as place
      from candidates where turn <= room
    ),
    chosen as (
      select delivery_id, turn, next_attempt_at from (
        select *, row_number() over (partition by is_ready order by turn, next_attempt_at) as place_of_kind
        from roomy where not is_failing or place <= ${request.failingSlots}
      ) ranked
      where place_of_kind <= case when is_ready then ${request.readySlots}::integer else ${request.slots}::integer end
    ),
    locked as (
      select own.delivery_id, chosen.turn, own.due_at
      from chosen cross join lateral (
        select d.delivery_id, d.next_attempt_at as due_at from deliveries d
        where d.delivery_id = chosen.delivery_id and d.status = 'pending' and d.next_attempt_at <= statement_timestamp()
          and ${isFree}
        order by d.delivery_id limit 1 for update skip locked
      ) own
    ),
    leased as (
      update deliveries d
      set lease_id = ${newId('claim')}, leased_until = clock_timestamp() + ${request.leaseSeconds}::integer * interval '1 second'
      from locked where d.delivery_id = locked.delivery_id
      returning d.*, locked.turn, locked.due_at
    )
    select d.delivery_id as "deliveryId", d.lease_id as "leaseId", d.partner_id as "partnerId", d.webhook_id as "webhookId",
      d.message_id as "messageId", d.event_type as "type", ${deliveryBody} as "body", greatest(d.attempt_count - d.round_start, 0) as "attemptCount",
      ${sendingTerms}
    from leased d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    order by d.turn, d.due_at`)
}

/** A webhook as of now, for deliveries that are leased as they are made. */
export type SendingTerms = Pick<
  LeasedDelivery,
  'partnerId' | 'webhookId' | 'url' | 'webhookRevision' | 'isFailing' | 'secrets'
>

/** The terms of these webhooks, each with its partner. */
export async function listSendingTerms(
  tx: Tx,
  webhooks: readonly { partnerId: string; webhookId: string }[],
): Promise<SendingTerms[]> {
  return tx.query<SendingTerms>(sql`
    select w.partner_id as "partnerId", w.webhook_id as "webhookId", ${sendingTerms}
    from unnest(${webhooks.map(({ partnerId }) => partnerId)}::text[], ${webhooks.map(({ webhookId }) => webhookId)}::text[])
      as given (partner_id, webhook_id)
    join webhooks w on w.webhook_id = given.webhook_id and w.partner_id = given.partner_id
    where w.webhook_id = any(${webhooks.map(({ webhookId }) => webhookId)}::text[])`)
}

/** Ends leases before their time; of deliveries that somebody else has leased since, nothing changes. */
export async function returnLeases(tx: Tx, leased: readonly { deliveryId: string; leaseId: string }[]): Promise<void> {
  await tx.query(sql`
    update deliveries d set lease_id = null, leased_until = null
    from unnest(${leased.map(({ deliveryId }) => deliveryId)}::text[], ${leased.map(({ leaseId }) => leaseId)}::text[])
      as given (delivery_id, lease_id)
    where d.delivery_id = given.delivery_id and d.lease_id = given.lease_id and d.status = 'pending'`)
}
