import { operatorAccountId } from '../../partners/operators/operator-account.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findPartnerOwner, listTerms } from './commission-terms.store.ts'
import type { CommissionTerms } from './commission-terms.ts'

/** GET /operator-api/Partners/{partnerId}/commission-terms: every term by its first day. */
export function listCommissionTerms(
  { db }: { db: Database },
  { partnerId }: { partnerId: Id<'partner'> },
): Promise<CommissionTerms[]> {
  return listTerms(db, partnerId)
}

/** The partner that a call of the operator's is about; undefined for an unknown id. */
export function findCommissionOwner({ db }: { db: Database }, partnerId: string) {
  return findPartnerOwner(db, partnerId, operatorAccountId)
}
