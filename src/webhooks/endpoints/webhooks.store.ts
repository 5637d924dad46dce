import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { previousSecretsEndAt } from '../secrets/secrets.store.ts'
import type { FailureStreak } from './endpoint-health.ts'
import type { Verification, Webhook, WebhookStatus } from './subscription.ts'

/*
 * Every function here ignores deleted webhooks, except those that remove their rows or say so.
 */

interface WebhookRow {
  webhook_id: Id<'webhook'>
  url: string
  events: Webhook['events']
  status: WebhookStatus
  disabled_reason: string | null
  verification: Verification
  created_at: Date
  disabled_at: Date | null
  failing_since: Date | null
  previous_secret_valid_until: Date | null
}

const webhookColumns = sql`
  webhook_id, url, events, status, disabled_reason, verification, created_at, disabled_at, failing_since,
  ${previousSecretsEndAt(sql`webhooks`)} as previous_secret_valid_until`

/** The value of `disabled_at` for this status. If the webhook is already disabled, the earlier time is kept. */
const disabledAtFor = (status: WebhookStatus) =>
  status === 'active' ? sql`null` : sql`coalesce(disabled_at, clock_timestamp())`

/**
 * Blocks other registrations of the partner until the transaction ends, so that the number of webhooks and their URLs
 * cannot change.
 */
export async function lockRegistrations(tx: Tx, partnerId: Id<'partner'>): Promise<void> {
  // This lock is weaker than FOR UPDATE, so rows that refer to the partner can still be inserted.
  await tx.query(sql`select from partners where partner_id = ${partnerId} for no key update`)
}

export async function insertWebhook(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhook: Pick<Webhook, 'webhookId' | 'url' | 'events'>,
): Promise<Webhook> {
  const [row] = await tx.query<WebhookRow>(sql`
    insert into webhooks (webhook_id, partner_id, url, events, status, verification)
    values (${webhook.webhookId}, ${partnerId}, ${webhook.url}, ${webhook.events}::text[], 'active', 'pending')
    returning ${webhookColumns}`)
  if (row === undefined) throw new Error('insert of a webhook returned no row')
  return toWebhook(row)
}

export async function findWebhook(
  db: Queryable,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(sql`
    select ${webhookColumns} from webhooks
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and deleted_at is null`)
  return row && toWebhook(row)
}

/**
 * Finds the webhook and locks its row until the transaction ends. Its deliveries can still be written in the meantime.
 */
export async function lockWebhook(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
): Promise<Webhook | undefined> {
  const [row] = await tx.query<WebhookRow>(sql`
    select ${webhookColumns} from webhooks
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and deleted_at is null
    for no key update`)
  return row && toWebhook(row)
}

/** The partner's webhooks, newest first, starting after `beforeWebhookId`. */
export async function listWebhooks(
  db: Queryable,
  partnerId: Id<'partner'>,
  page: { beforeWebhookId: Id<'webhook'> | undefined; limit: number },
): Promise<Webhook[]> {
  const rows = await db.query<WebhookRow>(sql`
    select ${webhookColumns} from webhooks
    where partner_id = ${partnerId} and deleted_at is null and created_at > '-infinity'
      ${page.beforeWebhookId === undefined ? empty : sql`and webhook_id < ${page.beforeWebhookId}`}
    order by webhook_id desc limit ${page.limit}`)
  return rows.map(toWebhook)
}

/** The URLs of all the partner's webhooks, also of deleted ones whose deliveries are still kept. */
export function listWebhookUrls(
  tx: Tx,
  partnerId: Id<'partner'>,
): Promise<{ webhookId: Id<'webhook'>; url: string }[]> {
  return tx.query(sql`select webhook_id as "webhookId", url from webhooks where partner_id = ${partnerId}
    and created_at > '-infinity'`)
}

/**
 * Writes a partner's changes. If `startsOver`, earlier failures and attempts in progress no longer count. Returns the
 * changed webhook.
 */
export async function updateWebhook(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhook: Omit<Webhook, 'createdAt' | 'disabledAt' | 'failingSince' | 'previousSecretValidUntil'>,
  startsOver: boolean,
): Promise<Webhook> {
  const [row] = await tx.query<WebhookRow>(sql`
    update webhooks set url = ${webhook.url}, events = ${webhook.events}::text[], status = ${webhook.status},
      disabled_reason = ${webhook.disabledReason}, disabled_at = ${disabledAtFor(webhook.status)},
      verification = ${webhook.verification}, updated_at = clock_timestamp()
      ${startsOver ? sql`, failing_since = null, last_failed_at = null, revision = revision + 1` : empty}
    where partner_id = ${partnerId} and webhook_id = ${webhook.webhookId}
    returning ${webhookColumns}`)
  if (row === undefined) throw new Error('update of a locked webhook returned no row')
  return toWebhook(row)
}

/** Hides the webhook for good and stops its deliveries. Returns false if there is no such webhook. */
export async function markWebhookDeleted(tx: Tx, partnerId: Id<'partner'>, webhookId: Id<'webhook'>): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhooks set deleted_at = clock_timestamp(), status = 'disabled', updated_at = clock_timestamp()
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and deleted_at is null
    returning webhook_id`)
  return rows.length === 1
}

/**
 * Removes deleted webhooks whose deliveries and replays are gone; returns how many. Keeps a webhook for five minutes
 * after its deletion, because a dispatcher that started before the deletion may still insert a delivery that refers to
 * the row.
 */
export async function removeDeletedWebhooks(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from webhooks where webhook_id in (
      select w.webhook_id from webhooks w
      where w.deleted_at < clock_timestamp() - interval '5 minutes'
        and not exists (select from deliveries d where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id)
        and not exists (select from replays r where r.webhook_id = w.webhook_id and r.partner_id = w.partner_id)
      limit ${limit}
    )
    returning webhook_id`)
  return rows.length
}

/** The part of a webhook that the outcome of an attempt can change. */
export interface WebhookHealth extends FailureStreak {
  webhookId: Id<'webhook'>
  partnerId: Id<'partner'>
  status: WebhookStatus
  disabledReason: string | null
  verification: Verification
  /** Increases with every change that makes the outcomes of earlier attempts irrelevant to the webhook. */
  revision: number
}

/** Locks these webhooks, always in the same order, and reads their health and the database's time. */
export async function lockWebhookHealth(
  tx: Tx,
  webhookIds: readonly Id<'webhook'>[],
): Promise<{ now: Date; health: WebhookHealth }[]> {
  const rows = await tx.query<
    WebhookRow & {
      partner_id: Id<'partner'>
      failing_since: Date | null
      last_failed_at: Date | null
      revision: number
      now: Date
    }
  >(sql`
    select webhook_id, partner_id, status, disabled_reason, verification, failing_since, last_failed_at, revision,
      clock_timestamp() as now
    from webhooks where webhook_id = any(${webhookIds}::text[]) and deleted_at is null
    order by webhook_id for no key update`)
  return rows.map((row) => ({
    now: row.now,
    health: {
      webhookId: row.webhook_id,
      partnerId: row.partner_id,
      status: row.status,
      disabledReason: row.disabled_reason,
      verification: row.verification,
      failingSince: row.failing_since,
      lastFailedAt: row.last_failed_at,
      revision: row.revision,
    },
  }))
}

export async function updateWebhookHealth(tx: Tx, health: WebhookHealth): Promise<void> {
  await tx.query(sql`
    update webhooks set status = ${health.status}, disabled_reason = ${health.disabledReason},
      disabled_at = ${disabledAtFor(health.status)}, verification = ${health.verification},
      failing_since = ${health.failingSince}, last_failed_at = ${health.lastFailedAt}, updated_at = clock_timestamp()
    where partner_id = ${health.partnerId} and webhook_id = ${health.webhookId}`)
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    webhookId: row.webhook_id,
    url: row.url,
    events: row.events,
    status: row.status,
    disabledReason: row.disabled_reason,
    verification: row.verification,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    previousSecretValidUntil: row.previous_secret_valid_until,
  }
}

/**
 * Removes deliveries of deleted webhooks, and the attempts of those deliveries: at most `limit` rows from each table.
 * Returns the number of rows removed.
 */
export async function deleteDeliveriesOfDeletedWebhooks(tx: Tx, limit: number): Promise<number> {
  const pending = await tx.query(sql`
    delete from delivery_queue where delivery_id in (
      select own.delivery_id from webhooks w cross join lateral (
        select d.delivery_id from delivery_queue d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
        limit ${limit} for update skip locked
      ) own
      where w.deleted_at is not null
      limit ${limit}
    )
    returning delivery_id`)
  const ended = await tx.query(sql`
    delete from delivery_history where (delivery_id, created_at) in (
      select own.delivery_id, own.created_at from webhooks w cross join lateral (
        select d.delivery_id, d.created_at from delivery_history d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
        limit ${limit}
      ) own
      where w.deleted_at is not null
      limit ${limit}
    )
    returning delivery_id`)
  return pending.length + ended.length
}
