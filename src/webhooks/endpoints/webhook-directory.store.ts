import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { findOwner } from '../../partners/partners.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ReplayStatus } from '../replay/replay.ts'
import { previousSecretsEndAt } from '../secrets/secrets.store.ts'
import type { Webhook } from './subscription.ts'

/** A webhook as the operator sees it. */
export interface WebhookOfPartner extends Webhook {
  partnerId: Id<'partner'>
  partnerName: string
  latestReplay: { replayId: Id<'replay'>; status: ReplayStatus; redelivered: number; missed: number } | null
}

/** The webhooks of all partners, oldest first. */
export async function listWebhookDirectory(db: Queryable, partnerId: string | undefined): Promise<WebhookOfPartner[]> {
  return db.query<WebhookOfPartner>(sql`
    select w.webhook_id as "webhookId", w.partner_id as "partnerId", p.name as "partnerName", w.url, w.events, w.status,
      w.disabled_reason as "disabledReason", w.disabled_at as "disabledAt", w.failing_since as "failingSince",
      w.verification,
      ${previousSecretsEndAt(sql`w`)} as "previousSecretValidUntil",
      w.created_at as "createdAt",
      (select json_build_object('replayId', r.replay_id, 'status', r.status, 'redelivered', r.redelivered_count,
          'missed', r.missed_count)
        from replays r where r.webhook_id = w.webhook_id order by r.finished_at desc nulls first
        limit 1) as "latestReplay"
    from webhooks w join partners p on p.partner_id = w.partner_id
    where w.deleted_at is null
      ${partnerId === undefined ? empty : sql`and w.partner_id = ${partnerId}`}
    order by w.webhook_id`)
}

/** Whose webhook this is, and how far their sandbox clock is ahead; undefined for an unknown or deleted one. */
export function findOwnerOfWebhook(
  db: Queryable,
  webhookId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(
    db,
    sql`select w.partner_id from webhooks w where w.webhook_id = ${webhookId} and w.deleted_at is null`,
  )
}

/** The operator's webhooks to which messages are sent, oldest first. */
export async function listOperatorWebhookIds(db: Queryable): Promise<Id<'webhook'>[]> {
  const rows = await db.query<{ webhookId: Id<'webhook'> }>(sql`
    select webhook_id as "webhookId" from webhooks
     where partner_id = ${operatorAccountId} and status = 'active' and created_at > '-infinity' order by webhook_id`)
  return rows.map(({ webhookId }) => webhookId)
}
