import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/kernel/ids.ts'
import type { AddressSource } from '../../properties/property.ts'
import { requireProperty } from '../../properties/require-property.ts'
import { type AvailabilityRequest, newAvailabilityRequest } from '../../quoting/broadband/availability-request.ts'
import { insertAvailabilityRequest } from '../broadband.store.ts'

/**
 * POST /Quotes/broadband-availability-requests (docs/api-behaviour.md#availability-checks): returns a uid. For the next
 * 24 hours on the partner's clock, the check can be run with this uid. Calls no upstream. Throws `address_not_found`
 * for an unknown property.
 */
export async function requestAvailability(
  { db, addresses }: { db: Database; addresses: AddressSource },
  caller: Caller,
  input: { addressUid: string },
): Promise<AvailabilityRequest> {
  const property = await requireProperty(addresses, input.addressUid)
  const request = newAvailabilityRequest(newId('availability'), property.addressUid, caller.now)
  return inTransaction(db, caller, async (tx) => {
    await insertAvailabilityRequest(tx, caller.partnerId, request)
    return request
  })
}
