import type { Static } from 'typebox'
import { Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, presentAs, Text } from '../platform/http/schemas/values.ts'
import type { Property } from './property.ts'

export const Address = ResponseObject('Address', 'A property that can be quoted.', {
  addressLine1: Text(500, 'The first line: the number or name, and the street.'),
  addressLine2: Text(500, 'The second line. May be empty.'),
  city: Text(500, 'The post town.'),
  county: Text(500, 'The county. May be empty.'),
  country: Text(500, 'The nation, such as England.'),
  postCode: Text(200, 'The postcode.'),
  uprn: Text(12, 'The Unique Property Reference Number.', { pattern: '^[0-9]+$' }),
  mpan: Nullable(
    Text(13, 'The electricity meter point number (MPAN core); null if the property has none.', { pattern: '^[0-9]+$' }),
  ),
  mprn: Nullable(Text(10, 'The gas meter point number; null if the property has none.', { pattern: '^[0-9]+$' })),
  addressUid: Id('The id to use when you create a quote or check broadband.'),
})

export function presentAddress(property: Property): Static<typeof Address> {
  return presentAs(Address, { ...property, postCode: property.postcode })
}
