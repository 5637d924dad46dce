import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Flag, GivenId, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { availabilityLifetimeMs } from '../../quoting/quote-limits.ts'
import { OfferedProducts } from '../../quoting/quotes/quote.schema.ts'
import { requestAvailability } from './request-availability.ts'
import { runAvailabilityCheck } from './run-availability-check.ts'

export const requestAvailabilityRoute = route({
  operationId: 'requestBroadbandAvailability',
  method: 'POST',
  path: '/Quotes/broadband-availability-requests',
  tag: 'Quotes',
  summary: 'Create a broadband availability request',
  description: `Returns the uid to run the check with, which is valid for ${inHours(availabilityLifetimeMs / 1_000)}. You can also run the check with an addressUid directly.`,
  scope: 'addresses:read',
  body: RequestObject('BroadbandAvailabilityRequest', 'The address to check.', {
    addressUid: GivenId("The property's id, from `GET /Addresses/lookup`."),
  }),
  reply: ResponseObject('BroadbandAvailabilityUid', 'A broadband availability request.', {
    uid: Id('The id to run the check with.'),
    addressUid: Id('The id of the property.'),
    status: Choice(['pending', 'completed'], '`completed` once the check has run.'),
    expiresAt: Timestamp('When the uid stops working.'),
  }),
  errors: ['validation_failed', 'address_not_found'],
  handle: (deps, { caller, body }) => requestAvailability(deps, caller, body),
  present: ({ uid, addressUid, status, expiresAt }) => ({ uid, addressUid, status, expiresAt: timestamp(expiresAt) }),
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
    products: OfferedProducts('The products.'),
    homeTelecomError: Flag(
      'Whether Home Telecom, which offers the products, could not be queried, or sells lines that cannot be offered.',
    ),
    homeTelecomErrors: messages('Home Telecom'),
    broadbandDatabaseError: Flag('Whether the broadband database, which knows the speeds, could not be queried.'),
    broadbandDatabaseErrors: messages('the broadband database'),
  }),
  handle: (deps, { caller, id }) => runAvailabilityCheck(deps, caller, { uid: id }),
  present: (result) => result,
})
