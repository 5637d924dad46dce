import type { Queryable } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findContract } from '../contracts.store.ts'
import type { LatePaymentTerms } from './fee-terms.ts'
import { findTermsVersion } from './terms-versions.store.ts'

/**
 * What the terms of a contract say of failed payments; undefined if nothing was agreed, or the records are no longer
 * kept.
 */
export async function latePaymentTermsOf(
  tx: Queryable,
  partnerId: Id<'partner'>,
  contractNumber: string,
): Promise<LatePaymentTerms | undefined> {
  const contract = await findContract(tx, partnerId, contractNumber)
  const version = contract?.acceptance?.termsVersion
  return version === undefined ? undefined : (await findTermsVersion(tx, version))?.latePayment
}
