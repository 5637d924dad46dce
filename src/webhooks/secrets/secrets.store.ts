import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import { storedResponseSeconds } from '../../platform/idempotency/response-retention.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { maxSigningSecrets, overlapSeconds, type StoredSecret } from './secret.ts'

/**
 * SQL for the time until which messages are also signed with a previous secret of the webhook; null if they no longer
 * are. `webhook` is the name of the webhooks table in the statement.
 */
export const previousSecretsEndAt = (webhook: Sql) => sql`(
  select max(s.signs_until) from webhook_secrets s
  where s.webhook_id = ${webhook}.webhook_id and s.partner_id = ${webhook}.partner_id
    and s.signs_until > clock_timestamp())`

/**
 * Makes this the webhook's current secret. `isReplayable`: the response that contains it is stored under an
 * Idempotency-Key, so the secret is kept as long as that response.
 */
export async function insertSecret(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  secret: StoredSecret,
  isReplayable: boolean,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_secrets (webhook_id, secret_number, partner_id, secret_encrypted, replayable_until)
    values (${webhookId}, ${secret.secretNumber}, ${partnerId}, ${secret.encrypted},
      case when ${isReplayable}::boolean
      then clock_timestamp() + ${storedResponseSeconds}::integer * interval '1 second' end)`)
}

/**
 * Makes the current secret expire in a day. If there would then be too many secrets, the oldest one expires
 * immediately. Returns the number of the current secret and the time at which it expires. The caller must have locked
 * the webhook's row.
 */
export async function retireSecret(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
): Promise<{ secretNumber: number; signsUntil: Date }> {
  const [retired] = await tx.query<{ secretNumber: number; signsUntil: Date }>(sql`
    with signing as (
      select secret_number, row_number() over (order by secret_number desc) as rank
      from webhook_secrets
      where partner_id = ${partnerId} and webhook_id = ${webhookId}
        and (signs_until is null or signs_until > clock_timestamp())
    ),
    retired as (
      update webhook_secrets s
      set signs_until = case
        when signing.rank >= ${maxSigningSecrets}::integer then clock_timestamp()
        else coalesce(s.signs_until, clock_timestamp() + ${overlapSeconds}::integer * interval '1 second')
      end
      from signing
      where s.partner_id = ${partnerId} and s.webhook_id = ${webhookId} and s.secret_number = signing.secret_number
      returning s.secret_number, s.signs_until
    )
    select secret_number as "secretNumber", signs_until as "signsUntil" from retired order by secret_number desc
    limit 1`)
  if (retired === undefined) throw new Error('webhook has no secret')
  return retired
}

/**
 * Finds a secret by its number. For a deleted webhook, this works as long as the response that showed the secret can be
 * replayed.
 */
export async function findSecret(
  db: Queryable,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  secretNumber: number,
): Promise<StoredSecret | undefined> {
  const [row] = await db.query<StoredSecret>(sql`
    select secret_number as "secretNumber", secret_encrypted as "encrypted" from webhook_secrets
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and secret_number = ${secretNumber}`)
  return row
}

/**
 * Removes the secrets of a webhook that is being deleted. A secret that a replayed response may still need is no longer
 * used for signing, but is removed only later.
 */
export async function removeSecrets(tx: Tx, partnerId: Id<'partner'>, webhookId: Id<'webhook'>): Promise<void> {
  await tx.query(sql`
    with kept as (
      update webhook_secrets set signs_until = least(signs_until, clock_timestamp())
      where partner_id = ${partnerId} and webhook_id = ${webhookId} and replayable_until > statement_timestamp()
    )
    delete from webhook_secrets
    where partner_id = ${partnerId} and webhook_id = ${webhookId}
      and (replayable_until is null or replayable_until <= statement_timestamp())`)
}

/**
 * Removes secrets that are no longer used for signing and that no replayed response needs. Returns how many it removed.
 */
export async function deleteEndedSecrets(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from webhook_secrets where (webhook_id, secret_number) in (
      select webhook_id, secret_number from webhook_secrets
      where signs_until <= clock_timestamp() and (replayable_until is null or replayable_until <= clock_timestamp())
      limit ${limit}
    )
    returning secret_number`)
  return rows.length
}
