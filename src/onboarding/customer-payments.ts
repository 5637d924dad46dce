import type { Caller } from '../partners/caller.ts'
import { listPaymentEntries } from '../payments/ledger/payment-entries.store.ts'
import type { PaymentEntry } from '../payments/ledger/payment-entry.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'

/**
 * GET /Customers/{id}/payments (not in the specification): what the customer owes or is owed under their contracts, and
 * what became of it, by due date. What is no longer owed is left out.
 */
export async function listCustomerPayments(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; payments: PaymentEntry[] }> {
  const { partnerId } = caller
  const [payments] = await Promise.all([
    listPaymentEntries(db, { partnerId, customerId }),
    loadCustomer(db, cipher, caller, customerId),
  ])
  return { customerId, payments }
}
