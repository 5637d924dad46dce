import { DomainError, invalidFields } from '../platform/kernel/errors.ts'
import type { GspGroup } from './postcodes/distribution-regions.ts'
import { regionOf } from './postcodes/region.ts'
import type { AddressSource, Property } from './property.ts'

/**
 * The property with this addressUid. Throws `address_not_found` if there is none; `pointer` locates the addressUid in
 * the request.
 */
export async function requireProperty(
  addresses: AddressSource,
  addressUid: string,
  pointer = '/addressUid',
): Promise<Property> {
  const property = await addresses.findByUid(addressUid)
  if (property !== null) return property
  const detail =
    'No property has this addressUid. Look up the postcode with GET /Addresses/lookup and use an addressUid from the response.'
  throw invalidFields([{ pointer, code: 'address_not_found', detail }], 'address_not_found')
}

/** The region whose rates apply to the property. Throws `address_not_serviceable` if there is none. */
export function requireRegion(property: Property): GspGroup {
  // No real place is both served and without a region, so a sandbox has a property that says so.
  const region = property.specialCase === 'not-serviceable' ? null : regionOf(property)
  if (region !== null) return region
  throw new DomainError(
    'address_not_serviceable',
    'This property has no prices: neither its MPAN nor its postcode area belongs to a distribution region of Great Britain. Choose another address.',
  )
}
