import type { Queryable, Tx } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { PendingAuthentication, SetupIntentChange, StoredSetupIntent } from './setup-intent.ts'

export async function insertSetupIntent(tx: Tx, { intent }: SetupIntentChange): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.setup_intents (id, object) values (${intent.id}, ${JSON.stringify(intent)}::jsonb)`)
}

export async function findSetupIntent(db: Queryable, id: string): Promise<StoredSetupIntent | undefined> {
  const [row] = await db.query<{ object: StoredSetupIntent }>(sql`
    select object from simulated_processor.setup_intents where id = ${id}`)
  return row?.object
}

/** Finds an intent and locks it until the transaction ends, so that two changes of one intent never interleave. */
export async function lockSetupIntent(
  tx: Tx,
  id: string,
): Promise<{ intent: StoredSetupIntent; pending: PendingAuthentication | null } | undefined> {
  const [row] = await tx.query<{ object: StoredSetupIntent; after_authentication: PendingAuthentication | null }>(sql`
    select object, after_authentication from simulated_processor.setup_intents where id = ${id} for update`)
  return row && { intent: row.object, pending: row.after_authentication }
}

/** The customer's intents, newest first. */
export async function listSetupIntents(db: Queryable, customer: string, limit: number): Promise<StoredSetupIntent[]> {
  const rows = await db.query<{ object: StoredSetupIntent }>(sql`
    select object from simulated_processor.setup_intents where object ->> 'customer' = ${customer}
     order by created_at desc, id limit ${limit}`)
  return rows.map(({ object }) => object)
}

export async function updateSetupIntent(tx: Tx, { intent, pending }: SetupIntentChange): Promise<void> {
  const afterAuthentication = pending === null ? null : JSON.stringify(pending)
  await tx.query(sql`
    update simulated_processor.setup_intents
    set object = ${JSON.stringify(intent)}::jsonb, after_authentication = ${afterAuthentication}::jsonb
    where id = ${intent.id}`)
}
