import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { erasedDetails } from './customer.ts'

/**
 * Removes tenants. Those who once had a contract are only marked as removed, because its records are kept. Is the last
 * step of `removeTenantsOf`, which deletes what refers to them.
 */
export async function deleteCustomers(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
  now: Date,
): Promise<void> {
  const chosen = sql`customer_id = any(${[...customerIds]}::text[])`
  await tx.query(sql`
    update customers set removed_at = ${now}, processor_customer_id = null, processor_asked_at = null,
      onboarding_revision = onboarding_revision + 2, updated_at = ${now}
     where partner_id = ${partnerId} and ${chosen} and contract_number is not null`)
  await tx.query(sql`delete from customers where partner_id = ${partnerId} and ${chosen} and contract_number is null`)
}

export interface Erasure {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  erasedAt: Date
  /** The day until which contract records are kept; null if none are kept. */
  retainedUntil: IsoDate | null
}

/**
 * Erases the personal data in a customer's row. The row is kept, because it counts towards the shares and, if there is
 * a contract, holds the evidence of acceptance. Returns whether this is the customer's first erasure.
 */
export async function erasePersonalColumns(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  { partnerId, customerId, erasedAt, retainedUntil }: Erasure,
): Promise<boolean> {
  const erased = cipher.encrypt(JSON.stringify(erasedDetails), { column: 'customers.personal', row: customerId })
  const [row] = await tx.query<{ isFirst: boolean }>(sql`
    update customers
       set personal_encrypted = ${erased}, email_hash = 'erased:' || customer_id, phone_hash = '', psr_encrypted = null,
           psr_review_on = null, psr_given_at = null, onboarding_revision = onboarding_revision + 2,
           email_confirmed_at = null, email_changed_at = null, email_at_partner_since = null,
           email_of_another_since = null,
           supply_during_cancellation = supply_during_cancellation and ${retainedUntil !== null},
           processor_customer_id = null, processor_asked_at = null, last_payment_error_encrypted = null,
           erased_at = coalesce(erased_at, ${erasedAt}), retained_until = ${retainedUntil}, updated_at = ${erasedAt}
     where partner_id = ${partnerId} and customer_id = ${customerId}
    returning erased_at = ${erasedAt} as "isFirst"`)
  return row?.isFirst === true
}

/** Records that no contract records of an erased customer are kept any more. */
export async function endRetention(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    update customers set retained_until = null where partner_id = ${partnerId} and customer_id = ${customerId}`)
}
