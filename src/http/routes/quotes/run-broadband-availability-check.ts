import Type from 'typebox'
import { availabilityLifetimeMs } from '../../../domain/broadband/availability-request.ts'
import { runAvailabilityCheck } from '../../../domain/broadband/run-availability-check.ts'
import { maxBroadbandProducts } from '../../../domain/packages/package.ts'
import { inHours } from '../../openapi/time-in-words.ts'
import { route } from '../../route.ts'
import { Choice, Nullable, ResponseObject } from '../../wire/named.ts'
import { Flag, Id, Pence, Text } from '../../wire/values.ts'

const OfferedProduct = ResponseObject('OfferedBroadbandProduct', 'A broadband product available at the address.', {
  productId: Id('The id of the product.'),
  name: Text(200, 'The name of the product.'),
  speed: Type.Number({ description: 'The download speed in Mbps; 0 for an add-on.' }),
  uploadSpeed: Nullable(
    Type.Number({
      description:
        'The upload speed in Mbps. Null for an add-on, and if the provider did not state the speeds of the line.',
    }),
  ),
  normalSpeed: Nullable(
    Type.Number({ description: 'The download speed that is normally available, in Mbps, or null.' }),
  ),
  minimumSpeed: Nullable(
    Type.Number({ description: 'The download speed that the provider guarantees, in Mbps, or null.' }),
  ),
  price: Pence('The price per month in pence, including VAT.'),
  kind: Choice(['line', 'addon'], 'A quote has one `line` and any number of different add-ons.'),
  setupPrice: Pence('The one-off set-up charge in pence, including VAT.'),
})

const messages = (provider: string) =>
  Type.Array(Text(1_000, 'A message.'), {
    maxItems: 20,
    description: `What went wrong with ${provider} and what to do about it; empty if nothing did.`,
  })

export const runAvailabilityCheckRoute = route({
  operationId: 'runBroadbandAvailabilityCheck',
  method: 'GET',
  path: '/Quotes/run-broadband-availability-check/{uid}',
  tag: 'Quotes',
  summary: 'Check which broadband products are available at an address',
  description: `Queries two upstream providers in parallel, for up to 10 seconds in total. If one fails, its error flag is true and the response contains the results of the other. Results are stored for ${inHours(availabilityLifetimeMs / 1_000)}; a provider that failed is queried again on the next call.`,
  idDescription: 'The uid of an availability request, or an addressUid.',
  scope: 'addresses:read',
  reply: ResponseObject('BroadbandAvailability', 'The broadband products available at an address.', {
    uid: Id('The uid that was checked.'),
    available: Flag('Whether any product is available.'),
    maxSpeed: Type.Number({ description: 'The highest download speed at the address in Mbps; 0 if it is unknown.' }),
    products: Type.Array(OfferedProduct, { maxItems: maxBroadbandProducts, description: 'The products.' }),
    homeTelecomError: Flag(
      'Whether Home Telecom, which offers the products, could not be queried, or sells lines that cannot be offered.',
    ),
    homeTelecomErrors: messages('Home Telecom'),
    broadbandDatabaseError: Flag('Whether the broadband database, which knows the speeds, could not be queried.'),
    broadbandDatabaseErrors: messages('the broadband database'),
  }),
  handle: (services, { caller, id }) => runAvailabilityCheck(services, caller, { uid: id }),
  present: (result) => result,
})
