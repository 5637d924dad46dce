import { lockToDeleteAtProcessor } from '../payments/processor-customers.store.ts'
import { deletePayments, deleteSetupIntents } from '../payments/removed-payments.store.ts'
import type { RemoveTenantsOf } from '../quoting/tenants/remove-tenants.ts'
import { deleteCustomers } from '../quoting/tenants/removed-customers.store.ts'
import { deleteDeathReports } from './deaths/deaths.store.ts'
import { deletePreviews, deleteTenantMails } from './removed-contracts.store.ts'

/**
 * Removes tenants of a quote with all that is known of them, also at the payment processor. Of those who once had a
 * contract, its records are kept. The caller holds the quote's row lock.
 */
export const removeTenantsOf: RemoveTenantsOf = async (tx, partnerId, customerIds, now) => {
  const withoutContract = await lockToDeleteAtProcessor(tx, partnerId, customerIds)
  await deleteSetupIntents(tx, partnerId, customerIds)
  await deletePreviews(tx, partnerId, customerIds)
  for (const customerId of withoutContract) await deleteDeathReports(tx, partnerId, customerId)
  await deletePayments(tx, partnerId, withoutContract)
  await deleteTenantMails(tx, partnerId, withoutContract)
  await deleteCustomers(tx, partnerId, customerIds, now)
}
