import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { findPartnerOfCustomer } from '../contracts/contract-documents.store.ts'

/**
 * Returns a `Caller` that lets an operator command act for the customer's partner, with the time on that partner's clock. Undefined
 * for an unknown customer.
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
