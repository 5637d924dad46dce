import type { AddressSource } from './address-source.ts'
import { isServedPostcode, normalisePostcode } from './postcode.ts'
import type { Property } from './property.ts'

/**
 * Spec: GET /Addresses/lookup. The homes at a postcode, however it is written; empty for text that is no postcode, for
 * one that is not served and for one without homes (decisions: a lookup never refuses a value).
 */
export async function lookupAddresses(
  { addresses }: { addresses: AddressSource },
  postcodeText: string,
): Promise<Property[]> {
  const postcode = normalisePostcode(postcodeText)
  if (postcode === null || !isServedPostcode(postcode)) return []
  return addresses.findByPostcode(postcode)
}
