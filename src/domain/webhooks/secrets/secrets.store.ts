import type { Queryable, Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { storedResponseSeconds } from '../../idempotency/response-retention.ts'
import { mostSigningSecrets, overlapSeconds, type StoredSecret } from './secret.ts'

/** Of a webhook, by the name its table has in the statement: when the last of its replaced secrets ends that still signs. */
export const replacedSecretEnds = (webhook: Sql) => sql`(
  select max(s.signs_until) from webhook_secrets s
  where s.webhook_id = ${webhook}.webhook_id and s.partner_id = ${webhook}.partner_id and s.signs_until > clock_timestamp())`

/**
 * Makes this the webhook's current secret. `isReplayable` where the answer it is given in is stored under an
 * Idempotency-Key: the secret is then kept as long as that answer, whatever becomes of the webhook.
 */
export async function insertSecret(
  tx: Tx,
  partnerId: string,
  webhookId: string,
  secret: StoredSecret,
  isReplayable: boolean,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_secrets (webhook_id, secret_number, partner_id, secret_encrypted, replayable_until)
    values (${webhookId}, ${secret.secretNumber}, ${partnerId}, ${secret.encrypted},
      case when ${isReplayable}::boolean then clock_timestamp() + ${storedResponseSeconds}::integer * interval '1 second' end)`)
}

/**
 * Ends the time of the current secret, a day from now, and at once that of the oldest where one more would be too many.
 * Returns the number and the end of the one that was current. The webhook's row is locked by the caller.
 */
export async function retireSecret(
  tx: Tx,
  partnerId: string,
  webhookId: string,
): Promise<{ secretNumber: number; signsUntil: Date }> {
  const [retired] = await tx.query<{ secretNumber: number; signsUntil: Date }>(sql`
    with signing as (
      select secret_number, row_number() over (order by secret_number desc) as place
      from webhook_secrets
      where partner_id = ${partnerId} and webhook_id = ${webhookId}
        and (signs_until is null or signs_until > clock_timestamp())
    ),
    retired as (
      update webhook_secrets s
      set signs_until = case
        when signing.place >= ${mostSigningSecrets}::integer then clock_timestamp()
        else coalesce(s.signs_until, clock_timestamp() + ${overlapSeconds}::integer * interval '1 second')
      end
      from signing
      where s.partner_id = ${partnerId} and s.webhook_id = ${webhookId} and s.secret_number = signing.secret_number
      returning s.secret_number, s.signs_until
    )
    select secret_number as "secretNumber", signs_until as "signsUntil" from retired order by secret_number desc limit 1`)
  if (retired === undefined) throw new Error('a webhook has no secret')
  return retired
}

/** A secret by its number, also of a webhook that was deleted, while the replay of its answer needs it. */
export async function findSecret(
  db: Queryable,
  partnerId: string,
  webhookId: string,
  secretNumber: number,
): Promise<StoredSecret | undefined> {
  const [row] = await db.query<StoredSecret>(sql`
    select secret_number as "secretNumber", secret_encrypted as "encrypted" from webhook_secrets
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and secret_number = ${secretNumber}`)
  return row
}

/** Removes the secrets of a webhook that is deleted; those a replay may still ask for sign no more and go later. */
export async function endSecrets(tx: Tx, partnerId: string, webhookId: string): Promise<void> {
  await tx.query(sql`
    with kept as (
      update webhook_secrets set signs_until = least(signs_until, clock_timestamp())
      where partner_id = ${partnerId} and webhook_id = ${webhookId} and replayable_until > statement_timestamp()
    )
    delete from webhook_secrets
    where partner_id = ${partnerId} and webhook_id = ${webhookId}
      and (replayable_until is null or replayable_until <= statement_timestamp())`)
}

/** Removes secrets that neither sign nor may be asked for by a replay; returns how many. */
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
