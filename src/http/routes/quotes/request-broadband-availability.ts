import Type from 'typebox'
import { availabilityLifetimeMs } from '../../../domain/broadband/availability-request.ts'
import { requestAvailability } from '../../../domain/broadband/request-availability.ts'
import { inHours } from '../../openapi/time-in-words.ts'
import { route } from '../../route.ts'
import { Id, Timestamp, timestamp } from '../../wire/values.ts'

export const requestAvailabilityRoute = route({
  operationId: 'requestBroadbandAvailability',
  method: 'POST',
  path: '/Quotes/broadband-availability-requests',
  tag: 'Quotes',
  summary: 'Create a broadband availability request',
  description: `Returns the uid to run the check with, which is valid for ${inHours(availabilityLifetimeMs / 1_000)}. You can also run the check with an addressUid directly.`,
  scope: 'addresses:read',
  body: Type.Object({ addressUid: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
  reply: Type.Object(
    {
      uid: Id(),
      addressUid: Id(),
      status: Type.Enum(['pending', 'completed']),
      expiresAt: Timestamp,
    },
    { additionalProperties: false },
  ),
  errors: ['validation_failed', 'address_not_found'],
  handle: (services, { caller, body }) => requestAvailability(services, caller, body),
  present: ({ uid, addressUid, status, expiresAt }) => ({ uid, addressUid, status, expiresAt: timestamp(expiresAt) }),
})
