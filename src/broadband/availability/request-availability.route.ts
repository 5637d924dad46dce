import { route } from '../../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { GivenId, Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { availabilityLifetimeMs } from '../../quoting/quote-limits.ts'
import { requestAvailability } from './request-availability.ts'

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
