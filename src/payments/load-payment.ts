import type { Queryable } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findOperatorPayment, type OperatorPayment } from './ledger/operator-payments.store.ts'

/** A payment of the partner. Throws `not_found`. */
export async function loadPayment(
  tx: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<OperatorPayment> {
  const payment = await findOperatorPayment(tx, cipher, partnerId, entryId)
  if (payment === undefined) throw new DomainError('not_found', 'There is no payment with this id.')
  return payment
}
