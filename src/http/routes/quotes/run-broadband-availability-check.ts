import Type from 'typebox'
import { runAvailabilityCheck } from '../../../domain/broadband/run-availability-check.ts'
import { route } from '../../route.ts'
import { Id, Pence, Text, wholePence } from '../../wire/values.ts'

const OfferedProduct = Type.Object(
  {
    productId: Id(),
    name: Text(200),
    speed: Type.Number({ description: 'Mbps' }),
    price: wholePence('pence a month, VAT included'),
    kind: Type.Enum(['line', 'addon']),
    setupPrice: Pence,
  },
  { additionalProperties: false },
)

const messages = Type.Array(Text(1_000), { maxItems: 20, description: 'what happened and what to do' })

export const runAvailabilityCheckRoute = route({
  operationId: 'runBroadbandAvailabilityCheck',
  method: 'GET',
  path: '/Quotes/run-broadband-availability-check/{uid}',
  tag: 'Quotes',
  summary: 'Check which broadband an address can have',
  description:
    'Asks two upstream systems at once, up to 10 seconds in all. Either may fail: its flag is then true and the answer holds what the other knows. Answers are kept for 24 hours; a failed half is asked again.',
  idDescription: "an availability request's uid, or an addressUid",
  scope: 'addresses:read',
  reply: Type.Object(
    {
      uid: Id(),
      available: Type.Boolean(),
      maxSpeed: Type.Number({ description: 'Mbps' }),
      products: Type.Array(OfferedProduct, { maxItems: 200 }),
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
