import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { LedgerStatus } from '../ledger/ledger-status.ts'

/** An entry that a call is collecting, and what it was before. */
export interface ClaimedEntry {
  entryId: Id<'entry'>
  status: LedgerStatus
}

/** Claims an entry that is owed, so that no other call collects it for ten minutes. The outcome ends the claim. */
export async function claimEntry(tx: Tx, partnerId: Id<'partner'>, entryId: Id<'entry'>): Promise<ClaimedEntry> {
  const [row] = await tx.query<ClaimedEntry>(sql`
    update payment_entries e set status = 'submitted', claimed_until = clock_timestamp() + interval '10 minutes'
      from payment_entries before
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId} and before.partner_id = e.partner_id
       and before.entry_id = e.entry_id
    returning e.entry_id as "entryId", before.status`)
  if (row === undefined) throw new Error('a payment that was just read is gone')
  return row
}

/** The customer's entries that other calls are collecting. */
export async function listClaimedEntries(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ entryId: string }>(sql`
    select entry_id as "entryId" from payment_entries
     where partner_id = ${partnerId} and customer_id = ${customerId} and status = 'submitted'
       and claimed_until > clock_timestamp()`)
  return new Set(rows.map(({ entryId }) => entryId))
}

/** Undoes a claim whose payment was not taken. */
export async function releaseClaim(
  db: Queryable,
  partnerId: Id<'partner'>,
  { entryId, status }: ClaimedEntry,
): Promise<void> {
  await db.query(sql`
    update payment_entries set status = ${status}, claimed_until = null
     where partner_id = ${partnerId} and entry_id = ${entryId} and status = 'submitted' and claimed_until is not null`)
}
