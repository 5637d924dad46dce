import Type, { type Static } from 'typebox'
import type { Property } from '../../domain/addresses/property.ts'

export const Address = Type.Object(
  {
    addressLine1: Type.String(),
    addressLine2: Type.String(),
    city: Type.String(),
    county: Type.String({ description: 'may be empty' }),
    country: Type.String(),
    postCode: Type.String(),
    uprn: Type.String({ description: 'unique property reference number' }),
    mpan: Type.Union([Type.String(), Type.Null()], { description: 'electricity meter point; null when absent' }),
    mprn: Type.Union([Type.String(), Type.Null()], { description: 'gas meter point; null when absent' }),
    addressUid: Type.String({ description: 'names the property when creating quotes and checking broadband' }),
  },
  { additionalProperties: false },
)

export function presentAddress(property: Property): Static<typeof Address> {
  const { addressLine1, addressLine2, city, county, country, postcode, uprn, mpan, mprn, addressUid } = property
  return { addressLine1, addressLine2, city, county, country, postCode: postcode, uprn, mpan, mprn, addressUid }
}
