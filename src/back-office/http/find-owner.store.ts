import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { findOwner } from '../../partners/partners.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

// Each returns a partner, and how far its sandbox clock is ahead; undefined for an unknown id.

/** The partner to which a contract belongs. */
export function findOwnerOfContract(system: Queryable, contractNumber: string) {
  return findOwner(system, sql`select k.partner_id from contracts k where k.contract_number = ${contractNumber}`)
}

/** The partner to which a quote belongs. */
export function findOwnerOfQuote(system: Queryable, quoteId: string) {
  return findOwner(system, sql`select q.partner_id from quotes q where q.quote_id = ${quoteId}`)
}

/** The partner that asked about a line of its commission. */
export function findOwnerOfQuery(system: Queryable, queryId: string) {
  return findOwner(system, sql`select y.partner_id from commission_queries y where y.query_id = ${queryId}`)
}

/** The partner with this id. The operator's own account is none. */
export function findOwnerOfPartnerId(system: Queryable, partnerId: string) {
  return findOwner(system, sql`select ${partnerId}::text where ${partnerId}::text <> ${operatorAccountId}`)
}
