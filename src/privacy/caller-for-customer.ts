import type { Caller } from '../partners/caller.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findPartnerOfCustomer } from '../quoting/tenants/customers.store.ts'

/**
 * Returns a `Caller` that lets an operator command act for the customer's partner, with the time on that partner's
 * clock. Undefined for an unknown customer.
 */
export async function callerForCustomer(
  { databases, clock }: { databases: Databases; clock: Clock },
  customerId: Id<'tenant'>,
): Promise<Caller | undefined> {
  const owner = await findPartnerOfCustomer(databases.system, customerId)
  if (owner === undefined) return undefined
  const { partnerId, clockOffsetSeconds } = owner
  const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
  return { partnerId, clientId: 'operator', requestId: 'housebill customers', now }
}
