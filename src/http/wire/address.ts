import Type, { type Static } from 'typebox'
import type { Property } from '../../domain/addresses/property.ts'
import { Id, Text } from './values.ts'

export const Address = Type.Object(
  {
    addressLine1: Text(500),
    addressLine2: Text(500),
    city: Text(500),
    county: Text(500, 'The county. May be empty.'),
    country: Text(500),
    postCode: Text(200),
    uprn: Text(12, 'The Unique Property Reference Number.', { pattern: '^[0-9]+$' }),
    mpan: Type.Union([Text(13, undefined, { pattern: '^[0-9]+$' }), Type.Null()], {
      description: 'The electricity meter point id; null if the property has none.',
    }),
    mprn: Type.Union([Text(10, undefined, { pattern: '^[0-9]+$' }), Type.Null()], {
      description: 'The gas meter point id; null if the property has none.',
    }),
    addressUid: Id('The id to use when you create a quote or check broadband.'),
  },
  { additionalProperties: false },
)

export function presentAddress(property: Property): Static<typeof Address> {
  const { addressLine1, addressLine2, city, county, country, postcode, uprn, mpan, mprn, addressUid } = property
  return { addressLine1, addressLine2, city, county, country, postCode: postcode, uprn, mpan, mprn, addressUid }
}
