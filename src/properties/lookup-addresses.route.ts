import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { anyTextKeyword } from '../platform/http/validation.ts'
import { Address, presentAddress } from './address.schema.ts'
import { lookupAddresses } from './lookup-addresses.ts'
import { isDistrict } from './postcodes/postcode.ts'

export const lookupAddressesRoute = route({
  operationId: 'lookupAddresses',
  method: 'GET',
  path: '/Addresses/lookup',
  tag: 'Addresses',
  summary: 'Find the properties at a postcode, or the one with a UPRN',
  description:
    'Accepts a UK postcode with any spacing and letter case. Returns an empty array if the postcode is invalid, does not exist, is not served or has no properties. The header `Housebill-Warning` says so if only a part of a postcode, such as its district, was sent. With `uprn` it returns at most one property, and only one that is stored already.',
  scope: 'addresses:read',
  query: Type.Object(
    {
      // A request line cannot hold longer text, so no request exceeds this limit.
      postcode: Type.Optional(
        Type.String({
          maxLength: 16_384,
          description: 'A UK postcode.',
          examples: ['LS2 9JT'],
          [anyTextKeyword]: true,
        }),
      ),
      uprn: Type.Optional(
        Type.String({
          maxLength: 16_384,
          description: 'A UPRN, instead of a postcode.',
          examples: ['990000000000'],
          [anyTextKeyword]: true,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: Type.Array(Address, { maxItems: 10_000, description: 'The properties.' }),
  handle: (deps, { query }) => lookupAddresses(deps, query),
  warningOf: ({ postcode = '' }) =>
    isDistrict(postcode)
      ? 'This is only the district of a postcode. Send the whole postcode, such as LS2 9JT.'
      : undefined,
  present: (properties) => properties.map(presentAddress),
})
