import type { Queryable, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Fault } from './fault.ts'

const faultColumns = sql`
  operation_id as "operationId", code, delay_ms as "delayMs", acts, remaining, expires_at as "expiresAt"`

export async function insertFault(tx: Tx, partnerId: Id<'partner'>, fault: Fault): Promise<void> {
  await tx.query(sql`
    insert into sandbox_faults (partner_id, operation_id, code, delay_ms, acts, remaining, expires_at)
    values (${partnerId}, ${fault.operationId}, ${fault.code}, ${fault.delayMs}, ${fault.acts}, ${fault.remaining}, ${fault.expiresAt})`)
}

/** The faults that can still act, oldest first. */
export function listFaults(db: Queryable, partnerId: Id<'partner'>, now: Date): Promise<Fault[]> {
  return db.query<Fault>(sql`
    select ${faultColumns} from sandbox_faults
     where partner_id = ${partnerId} and remaining > 0 and expires_at > ${now}
     order by fault_number`)
}

/** Uses the oldest fault of the operation for one call; undefined if it has none left. */
export async function takeFault(
  db: Queryable,
  partnerId: Id<'partner'>,
  operationId: string,
  now: Date,
): Promise<Fault | undefined> {
  const [fault] = await db.query<Fault>(sql`
    update sandbox_faults set remaining = remaining - 1
     where partner_id = ${partnerId} and remaining > 0 and fault_number = (
       select fault_number from sandbox_faults
        where partner_id = ${partnerId} and operation_id = ${operationId} and remaining > 0 and expires_at > ${now}
        order by fault_number limit 1 for update)
    returning ${faultColumns}`)
  return fault
}

/** Deletes the faults that can no longer act. */
export async function deleteSpentFaults(tx: Tx, partnerId: Id<'partner'>, now: Date): Promise<void> {
  await tx.query(sql`
    delete from sandbox_faults where partner_id = ${partnerId} and (remaining = 0 or expires_at <= ${now})`)
}

/** Deletes all faults. Returns how many there were. */
export async function deleteFaults(tx: Tx, partnerId: Id<'partner'>): Promise<number> {
  const rows = await tx.query(sql`delete from sandbox_faults where partner_id = ${partnerId} returning 1`)
  return rows.length
}

/** Says until when the partner's calls look for faults; null if they need not. The partner's row stays locked until the transaction ends. */
export async function updateFaultsUntil(tx: Tx, partnerId: Id<'partner'>, until: Date | null): Promise<void> {
  await tx.query(sql`update partners set sandbox_faults_until = ${until} where partner_id = ${partnerId}`)
}
