import Type from 'typebox'
import { NamedChoice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Name, Text } from '../../platform/http/schemas/values.ts'
import { type IsoDate, isoDate } from '../../platform/kernel/dates.ts'
import { nextOccupierKinds } from './occupiers.ts'

const moveInDate = DateOnly(
  'The day of the keys: on the first day of the contract, or up to a year before it. From then on, tenants can enter the opening readings of the meters.',
)

/** How a household moves in, as partners send it. */
export const GivenMoveIn = RequestObject('GivenMoveIn', 'How the household moves in.', {
  date: moveInDate,
  electricitySupplier: Type.Optional(Name('Who supplies electricity until the first day, if you know it.')),
  gasSupplier: Type.Optional(Name('Who supplies gas until the first day, if you know it.')),
})

/** How a household moves in, as responses show it. */
export const MoveInObject = ResponseObject(
  'MoveIn',
  'How the household moves in; null if you did not say. Then it moves in on the first day of the contract.',
  {
    date: moveInDate,
    electricitySupplier: Type.Optional(Text(100, 'Who supplies electricity until the first day.')),
    gasSupplier: Type.Optional(Text(100, 'Who supplies gas until the first day.')),
  },
)

const who = NamedChoice(
  'NextOccupierKind',
  nextOccupierKinds,
  'Who is responsible for the home once the household has left. `unknown`: nobody could find out.',
)
const contactLine = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, format: 'single-line', description })

/** Who is responsible for a home next, as it is sent. */
export const GivenNextOccupier = RequestObject('GivenNextOccupier', 'Who is responsible for the home next.', {
  who,
  name: Type.Optional(contactLine('The name of the person or business.')),
  contact: Type.Optional(contactLine('Their e-mail address, telephone number or postal address.')),
})

/** The fields of who is responsible for a home next, as responses show them. */
export const NextOccupierObject = ResponseObject('NextOccupier', 'Who is responsible for the home next.', {
  who,
  name: Nullable(Text(200, 'The name of the person or business; null if it was not said.')),
  contact: Nullable(Text(200, 'How to reach them; null if it was not said.')),
})

/** A validated request's move-in with the date in the type of dates. */
export function readMoveIn<Given extends { date: string }>(given: Given): Given & { date: IsoDate } {
  return { ...given, date: isoDate(given.date) }
}
