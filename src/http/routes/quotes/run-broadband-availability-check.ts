import Type from 'typebox'
import { availabilityLifetimeMs } from '../../../domain/broadband/availability-request.ts'
import { runAvailabilityCheck } from '../../../domain/broadband/run-availability-check.ts'
import { maxBroadbandProducts } from '../../../domain/packages/package.ts'
import { inHours } from '../../openapi/time-in-words.ts'
import { route } from '../../route.ts'
import { Id, Pence, Text, wholePence } from '../../wire/values.ts'

const OfferedProduct = Type.Object(
  {
    productId: Id(),
    name: Text(200),
    speed: Type.Number({ description: 'Mbps' }),
    price: wholePence('Pence per month, including VAT.'),
    kind: Type.Enum(['line', 'addon']),
    setupPrice: Pence,
  },
  { additionalProperties: false },
)

const messages = Type.Array(Text(1_000), { maxItems: 20, description: 'What went wrong and what to do about it.' })

export const runAvailabilityCheckRoute = route({
  operationId: 'runBroadbandAvailabilityCheck',
  method: 'GET',
  path: '/Quotes/run-broadband-availability-check/{uid}',
  tag: 'Quotes',
  summary: 'Check which broadband products are available at an address',
  description: `Queries two upstream providers in parallel, for up to 10 seconds in total. If one fails, its error flag is true and the response contains the results of the other. Results are stored for ${inHours(availabilityLifetimeMs / 1_000)}; a provider that failed is queried again on the next call.`,
  idDescription: 'The uid of an availability request, or an addressUid.',
  scope: 'addresses:read',
  reply: Type.Object(
    {
      uid: Id(),
      available: Type.Boolean(),
      maxSpeed: Type.Number({ description: 'Mbps' }),
      products: Type.Array(OfferedProduct, { maxItems: maxBroadbandProducts }),
      homeTelecomError: Type.Boolean(),
      homeTelecomErrors: messages,
      broadbandDatabaseError: Type.Boolean(),
      broadbandDatabaseErrors: messages,
    },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => runAvailabilityCheck(services, caller, { uid: id }),
  present: (result) => result,
})
