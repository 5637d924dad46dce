import { invalidFields } from '../platform/kernel/errors.ts'
import { isServedPostcode, normalisePostcode } from './postcodes/postcode.ts'
import type { AddressSource, Property } from './property.ts'

/**
 * Spec: GET /Addresses/lookup. Returns the properties at a postcode, which may be written with any letter case and
 * spacing. With a UPRN it returns the stored property that has it and, if
 * both are given, is at the postcode. Empty if the text is not a postcode, if the postcode is not served or if it has no properties
 * (docs/api-behaviour.md#addresses).
 */
export async function lookupAddresses(
  { addresses }: { addresses: AddressSource },
  query: { postcode?: string; uprn?: string },
): Promise<Property[]> {
  if (query.postcode === undefined && query.uprn === undefined) {
    const detail = 'This field is required, unless you send a uprn.'
    throw invalidFields([{ pointer: '/query/postcode', code: 'required', detail }], 'invalid_request')
  }
  const [uprn] = /^[0-9]{1,12}$/.exec(query.uprn ?? '') ?? []
  const found = uprn === undefined ? null : await addresses.findByUprn(uprn.replace(/^0+/, ''))
  const postcode = normalisePostcode(query.postcode ?? found?.postcode ?? '')
  if (query.uprn !== undefined) return found !== null && found.postcode === postcode ? [found] : []
  if (postcode === null || !isServedPostcode(postcode)) return []
  return addresses.findByPostcode(postcode)
}
