import { type Database, inTransaction } from '../../../db/database.ts'
import { newId } from '../../../kernel/ids.ts'
import type { AddressSource } from '../../addresses/address-source.ts'
import { requireProperty } from '../../addresses/require-property.ts'
import type { Caller } from '../../auth/caller.ts'
import { insertAvailabilityRequest } from '../broadband.store.ts'
import { type AvailabilityRequest, newAvailabilityRequest } from './availability-request.ts'

/**
 * POST /Quotes/broadband-availability-requests (docs/api-behaviour.md#availability-checks): returns a uid. For the next 24 hours on
 * the partner's clock, the check can be run with this uid. Calls no upstream. Throws `address_not_found` for an unknown property.
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
