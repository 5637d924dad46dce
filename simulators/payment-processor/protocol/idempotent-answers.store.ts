import type { Tx } from '../../../src/db/database.ts'
import { sql } from '../../../src/db/sql.ts'
import type { Seal } from '../seal.ts'

/**
 * Takes the key for this transaction. False where it was taken before; a transaction that holds it now is waited for,
 * so that two calls at once never both do the work.
 */
export async function insertIdempotencyKey(tx: Tx, key: string, fingerprint: string): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into simulated_processor.idempotent_answers (key, fingerprint) values (${key}, ${fingerprint})
    on conflict (key) do nothing
    returning key`)
  return rows.length === 1
}

export async function findIdempotentAnswer(
  tx: Tx,
  key: string,
): Promise<{ fingerprint: string; answer_sealed: string | null } | undefined> {
  const [row] = await tx.query<{ fingerprint: string; answer_sealed: string | null }>(sql`
    select fingerprint, answer_sealed from simulated_processor.idempotent_answers where key = ${key}`)
  return row
}

export async function updateIdempotentAnswer(tx: Tx, key: string, answerSealed: string): Promise<void> {
  await tx.query(sql`
    update simulated_processor.idempotent_answers set answer_sealed = ${answerSealed} where key = ${key}`)
}

/** The processor promises to remember a key for a day; the simulator remembers it for thirty. */
export async function deleteOldIdempotentAnswers(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from simulated_processor.idempotent_answers where key in (
      select key from simulated_processor.idempotent_answers
      where created_at < now() - interval '30 days' order by created_at limit 20 for update skip locked)`)
}

/** Removes answers that show this customer. Only what is opened tells whom an answer is about: a sandbox has few of them. */
export async function forgetAnswersAbout(tx: Tx, seal: Seal, customerId: string): Promise<void> {
  const answers = await tx.query<{ key: string; answer_sealed: string }>(sql`
    select key, answer_sealed from simulated_processor.idempotent_answers where answer_sealed is not null`)
  const keys = answers.flatMap(({ key, answer_sealed }) =>
    seal.open(answer_sealed, key).includes(`"${customerId}"`) ? [key] : [],
  )
  await tx.query(sql`delete from simulated_processor.idempotent_answers where key = any(${keys}::text[])`)
}
