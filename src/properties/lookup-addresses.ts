import { isServedPostcode, normalisePostcode } from './postcodes/postcode.ts'
import type { AddressSource, Property } from './property.ts'

/**
 * Spec: GET /Addresses/lookup. Returns the properties at a postcode, which may be written with any letter case and
 * spacing. Empty if the text is not a postcode, if the postcode is not served or if it has no properties
 * (docs/api-behaviour.md#addresses).
 */
export async function lookupAddresses(
  { addresses }: { addresses: AddressSource },
  postcodeText: string,
): Promise<Property[]> {
  const postcode = normalisePostcode(postcodeText)
  if (postcode === null || !isServedPostcode(postcode)) return []
  return addresses.findByPostcode(postcode)
}
