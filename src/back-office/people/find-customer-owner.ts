import type { Database } from '../../platform/db/database.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { findPartnerOfCustomer } from '../../quoting/tenants/customers.store.ts'
import type { RowOwner } from '../contract-feed/find-owner.ts'

/** The partner to which a customer belongs; undefined for an unknown id. */
export async function findCustomerOwner(
  { system }: { system: Database },
  customerId: string,
): Promise<RowOwner | undefined> {
  return isId('tenant', customerId) ? findPartnerOfCustomer(system, customerId) : undefined
}
