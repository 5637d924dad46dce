import type { Queryable, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { FailureStreak } from './endpoint-health.ts'
import type { Verification, Webhook, WebhookStatus } from './subscription.ts'

interface WebhookRow {
  webhook_id: string
  url: string
  events: Webhook['events']
  status: WebhookStatus
  disabled_reason: string | null
  verification: Verification
  created_at: Date
}

const webhookColumns = sql`webhook_id, url, events, status, disabled_reason, verification, created_at`

/** Holds off other registrations of the partner until the transaction ends, so that a count stays true. */
export async function lockRegistrations(tx: Tx, partnerId: string): Promise<void> {
  // Weaker than FOR UPDATE: rows that refer to the partner are written meanwhile.
  await tx.query(sql`select from partners where partner_id = ${partnerId} for no key update`)
}

export async function countWebhooks(db: Queryable, partnerId: string): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*)::integer as count from webhooks where partner_id = ${partnerId}`,
  )
  return rows[0]?.count ?? 0
}

export async function insertWebhook(
  tx: Tx,
  partnerId: string,
  webhook: Pick<Webhook, 'webhookId' | 'url' | 'events'> & { secretEncrypted: string },
): Promise<Webhook> {
  const [row] = await tx.query<WebhookRow>(sql`
    insert into webhooks (webhook_id, partner_id, url, events, status, secret_encrypted, verification)
    values (${webhook.webhookId}, ${partnerId}, ${webhook.url}, ${webhook.events}::text[], 'active',
      ${webhook.secretEncrypted}, 'pending')
    returning ${webhookColumns}`)
  if (row === undefined) throw new Error('an insert of one webhook gave no row')
  return toWebhook(row)
}

export async function findWebhook(db: Queryable, partnerId: string, webhookId: string): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(
    sql`select ${webhookColumns} from webhooks where partner_id = ${partnerId} and webhook_id = ${webhookId}`,
  )
  return row && toWebhook(row)
}

/** The encrypted signing secret; its place is `secretPlace(webhookId)`. */
export async function findSecret(db: Queryable, partnerId: string, webhookId: string): Promise<string | undefined> {
  const [row] = await db.query<{ secret_encrypted: string }>(
    sql`select secret_encrypted from webhooks where partner_id = ${partnerId} and webhook_id = ${webhookId}`,
  )
  return row?.secret_encrypted
}

export function secretPlace(webhookId: string): { column: string; row: string } {
  return { column: 'webhooks.secret', row: webhookId }
}

/** What the outcome of deliveries can change about a webhook. */
export interface WebhookHealth extends FailureStreak {
  webhookId: string
  partnerId: string
  status: WebhookStatus
  disabledReason: string | null
  verification: Verification
}

/** Locks these webhooks, always in the same order, and reads their health and the database's time. */
export async function lockHealth(
  tx: Tx,
  webhookIds: readonly string[],
): Promise<{ now: Date; health: WebhookHealth }[]> {
  const rows = await tx.query<
    WebhookRow & { partner_id: string; failing_since: Date | null; last_failed_at: Date | null; now: Date }
  >(sql`
    select webhook_id, partner_id, status, disabled_reason, verification, failing_since, last_failed_at, clock_timestamp() as now
    from webhooks where webhook_id = any(${webhookIds}::text[])
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
    },
  }))
}

export async function updateHealth(tx: Tx, health: WebhookHealth): Promise<void> {
  await tx.query(sql`
    update webhooks set status = ${health.status}, disabled_reason = ${health.disabledReason},
      verification = ${health.verification}, failing_since = ${health.failingSince}, last_failed_at = ${health.lastFailedAt},
      updated_at = clock_timestamp()
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
  }
}
