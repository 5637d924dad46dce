import { findOwner } from '../../partners/partners.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** The partner to which a contract belongs, and how far its sandbox clock is ahead; undefined for an unknown number. */
export async function findOwnerOfContract(
  system: Queryable,
  contractNumber: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select k.partner_id from contracts k where k.contract_number = ${contractNumber}`)
}

/** The partner to which a quote belongs, and how far its sandbox clock is ahead; undefined for an unknown id. */
export async function findOwnerOfQuote(
  system: Queryable,
  quoteId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select q.partner_id from quotes q where q.quote_id = ${quoteId}`)
}
