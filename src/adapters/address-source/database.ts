import type { Queryable } from '../../db/database.ts'
import type { AddressSource } from '../../domain/addresses/address-source.ts'
import { isAddressUid } from '../../domain/addresses/address-uid.ts'
import { findByAddressUid, listByPostcode } from '../../domain/addresses/properties.store.ts'
import { orderProperties } from '../../domain/addresses/property-order.ts'

/** Homes out of our own database: the samples of a sandbox and what the operator imported. */
export function databaseAddressSource(db: Queryable): AddressSource {
  return {
    hasSamples: true,
    findByPostcode: async (postcode) => orderProperties(await listByPostcode(db, postcode)),
    // Other text is not sent: PostgreSQL refuses some of it, such as a zero byte, with an error.
    findByUid: async (addressUid) => (isAddressUid(addressUid) ? findByAddressUid(db, addressUid) : null),
  }
}
