import type { Queryable, Tx } from '../../../../platform/db/database.ts'
import { sql } from '../../../../platform/db/sql.ts'
import type { Seal } from '../seal.ts'

/**
 * Claims the key for this transaction; returns false if the key is already used. Waits until any other transaction that
 * uses the key has ended, so that two concurrent calls never both do the work.
 */
export async function insertIdempotencyKey(tx: Tx, key: string, fingerprint: string): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into simulated_processor.idempotent_responses (key, fingerprint) values (${key}, ${fingerprint})
    on conflict (key) do nothing
    returning key`)
  return rows.length === 1
}

export async function findIdempotentResponse(
  db: Queryable,
  key: string,
): Promise<{ fingerprint: string; response_encrypted: string | null } | undefined> {
  const [row] = await db.query<{ fingerprint: string; response_encrypted: string | null }>(sql`
    select fingerprint, response_encrypted from simulated_processor.idempotent_responses where key = ${key}`)
  return row
}

export async function updateIdempotentResponse(tx: Tx, key: string, answerSealed: string): Promise<void> {
  await tx.query(sql`
    update simulated_processor.idempotent_responses set response_encrypted = ${answerSealed} where key = ${key}`)
}

/** Deletes keys that are older than 30 days. The real processor promises to remember them for only one day. */
export async function deleteOldIdempotentResponses(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from simulated_processor.idempotent_responses where key in (
      select key from simulated_processor.idempotent_responses
      where created_at < now() - interval '30 days' order by created_at limit 20 for update skip locked)`)
}

/**
 * Deletes the stored responses that contain this id, of a customer or a partner. This decrypts all stored responses, of
 * which a sandbox has few.
 */
export async function deleteResponsesAbout(db: Queryable, seal: Seal, id: string): Promise<void> {
  const responses = await db.query<{ key: string; response_encrypted: string }>(sql`
    select key, response_encrypted from simulated_processor.idempotent_responses where response_encrypted is not null`)
  const keys = responses.flatMap(({ key, response_encrypted }) =>
    seal.open(response_encrypted, key).includes(`"${id}"`) ? [key] : [],
  )
  await db.query(sql`delete from simulated_processor.idempotent_responses where key = any(${keys}::text[])`)
}
