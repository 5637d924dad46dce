import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, presentAs } from '../../platform/http/schemas/values.ts'
import {
  GivenMoveIn,
  GivenNextOccupier,
  MoveInObject,
  NextOccupierObject,
  readMoveIn,
} from '../../quoting/quotes/occupiers.schema.ts'
import { changeOccupiers, type Occupiers, readOccupiers } from './change-occupiers.ts'

const OccupiersObject = ResponseObject('Occupiers', 'Who moves into a home, and who is responsible for it next.', {
  quoteId: Id('The id of the quote.'),
  moveIn: Nullable(MoveInObject),
  nextOccupier: Nullable(
    described(NextOccupierObject, 'Who is responsible for the home next; null if nobody said so.'),
  ),
})

function presentOccupiers({ quoteId, moveIn, nextOccupier }: Occupiers): Static<typeof OccupiersObject> {
  return { quoteId, moveIn, nextOccupier: nextOccupier && presentAs(NextOccupierObject, nextOccupier) }
}

export const getOccupiersRoute = route({
  operationId: 'getOccupiers',
  method: 'GET',
  path: '/Quotes/{id}/occupiers',
  tag: 'Quotes',
  summary: 'Read who moves into a home, and who is responsible for it next',
  description: 'What you said with `PATCH /Quotes/{id}/occupiers`, or the lead tenant on their pages.',
  idDescription: 'quoteId',
  scope: 'quotes:read',
  reply: OccupiersObject,
  errors: [],
  handle: (deps, { caller, id }) => readOccupiers(deps, caller, id),
  present: presentOccupiers,
})

export const updateOccupiersRoute = route({
  operationId: 'updateOccupiers',
  method: 'PATCH',
  path: '/Quotes/{id}/occupiers',
  tag: 'Quotes',
  summary: 'Say who moves into a home, and who is responsible for it next',
  description:
    'Suppliers open and close accounts by the people who move in and out. Say the day of moving in as soon as you know it, and who is responsible for the home next before the household leaves; otherwise the lead tenant is asked on their pages. Each replaces what was said before; what you leave out stays. It goes to the operator with the contracts, at any time, and changes no price. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject(
    'UpdateOccupiersRequest',
    'Who moves in and who follows.',
    { moveIn: Type.Optional(GivenMoveIn), nextOccupier: Type.Optional(GivenNextOccupier) },
    { minProperties: 1 },
  ),
  reply: OccupiersObject,
  errors: ['validation_failed', 'customer_erased'],
  handle: (deps, { caller, id, body: { moveIn, nextOccupier } }) =>
    changeOccupiers(deps, caller, id, {
      moveIn: moveIn && readMoveIn(moveIn),
      nextOccupier: nextOccupier && { name: null, contact: null, ...nextOccupier, givenBy: null },
    }),
  present: presentOccupiers,
})
