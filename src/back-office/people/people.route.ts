import Type, { type Static } from 'typebox'
import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { changePerson, invitePerson, listPeople, removePerson } from '../../people/manage-people.ts'
import type { Person } from '../../people/people.store.ts'
import { allRoles, namedScopes } from '../../people/roles.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Email, GivenId, Id, Name, PersonName, presentAs, Text, Timestamp } from '../../platform/http/schemas/values.ts'
import { operatorRoute } from '../http/operator-route.ts'

const listOf = <Item extends Parameters<typeof Type.Array>[0]>(item: Item, maxItems: number, description: string) =>
  Type.Array(item, { maxItems, uniqueItems: true, description })

const Roles = listOf(
  Choice(
    allRoles,
    "A role. The operator's: `admin`, `finance`, `rates`, `support`. A partner's: `admin`, `agent`, `developer`, `reader`.",
  ),
  allRoles.length,
  'What they may do.',
)
const NamedScopes = listOf(Choice(namedScopes, 'A scope.'), namedScopes.length, 'What they may do that no role allows.')
const branches = (item: ReturnType<typeof Name>) => listOf(item, 50, 'The branches to which they belong.')

export const PersonObject = ResponseObject('Person', 'Somebody who signs in to pages.', {
  personId: Id('The id of the person. It is in the audit log.'),
  partnerId: Nullable(Id('The id of their partner; null if they are one of the operator’s people.')),
  name: Text(100, 'Their name.'),
  email: Nullable(Text(254, 'Their e-mail address; null once they were removed.')),
  roles: Roles,
  scopes: NamedScopes,
  branches: branches(Text(100, 'A branch.')),
  state: Choice(
    ['invited', 'active', 'removed'],
    '`invited`: they have not signed in yet. `removed`: they cannot sign in, which cannot be undone.',
  ),
  invitedBy: Text(
    255,
    'Who invited them: a client id, the id of a person, a login on the server, or `identity provider`.',
  ),
  invitedAt: Timestamp('When they were invited.'),
  lastSeenAt: Nullable(Timestamp('When they were last signed in, to the minute; null if they never were.')),
})

/** @internal Tests type responses with it. */
export const PersonList = ResponseObject('PersonList', 'People.', {
  data: Type.Array(PersonObject, { maxItems: 100_000, description: 'The people, in the order of their invitations.' }),
})

export function presentPerson(person: Person): Static<typeof PersonObject> {
  const partnerId = person.partnerId === operatorAccountId ? null : person.partnerId
  return presentAs(PersonObject, { ...person, partnerId })
}

const writes = { tag: 'People', scope: 'partners:write', idDescription: 'The id of the person' } as const

export const listPeopleRoute = operatorRoute({
  operationId: 'listPeople',
  path: '/People',
  tag: 'People',
  scope: 'partners:read',
  summary: 'List people',
  description: 'Returns your own people or, with `partnerId`, those of a partner, with those who were removed.',
  query: Type.Object(
    { partnerId: Type.Optional(GivenId('The partner whose people to list.')) },
    { additionalProperties: false },
  ),
  reply: PersonList,
  errors: ['validation_failed', 'not_found'],
  handle: (deps, _caller, { query: { partnerId } }) => listPeople(deps, partnerId),
  present: (people) => ({ data: people.map(presentPerson) }),
})

export const invitePersonRoute = operatorRoute({
  ...writes,
  operationId: 'invitePerson',
  method: 'POST',
  path: '/People',
  summary: 'Invite a person',
  description:
    'Lets somebody sign in. You can give your own people only what you may do yourself. People of a partner can share an e-mail address; an admin shares it with nobody. No e-mail is sent.',
  body: RequestObject('InvitePersonRequest', 'The person.', {
    name: PersonName('Their name.'),
    email: Email('Their e-mail address.'),
    partnerId: Type.Optional(GivenId('Their partner. Leave it out for your own people.')),
    roles: Roles,
    scopes: Type.Optional(NamedScopes),
    branches: Type.Optional(branches(Name('A branch.'))),
  }),
  reply: PersonObject,
  errors: ['validation_failed', 'not_found'],
  handle: (deps, { clientId, requestKey }, { scopes: mayGive, body: { scopes = [], branches = [], ...invited } }) =>
    invitePerson(deps, { by: clientId, mayGive }, { ...invited, scopes, branches }, requestKey),
  present: presentPerson,
})

export const changePersonRoute = operatorRoute({
  ...writes,
  operationId: 'changePerson',
  method: 'PATCH',
  path: '/People/{personId}',
  summary: 'Change a person',
  description: 'Changes what you send. Whoever may do less from now on is signed out everywhere at once.',
  body: RequestObject(
    'ChangePersonRequest',
    'What to change.',
    {
      name: Type.Optional(PersonName('Their name.')),
      roles: Type.Optional(Roles),
      scopes: Type.Optional(NamedScopes),
      branches: Type.Optional(branches(Name('A branch.'))),
    },
    { minProperties: 1 },
  ),
  reply: PersonObject,
  errors: ['validation_failed'],
  handle: (deps, { clientId }, { scopes: mayGive, parameter, body }) =>
    changePerson(deps, { by: clientId, mayGive }, parameter('personId'), body),
  present: presentPerson,
})

export const removePersonRoute = operatorRoute({
  ...writes,
  operationId: 'removePerson',
  method: 'POST',
  path: '/People/{personId}/remove',
  summary: 'Remove a person',
  description:
    'Signs a person out everywhere at once, for ever. Their name stays for the audit log, their e-mail address goes. Repeating the call is harmless.',
  reply: PersonObject,
  handle: (deps, _caller, { parameter }) => removePerson(deps, {}, parameter('personId')),
  present: presentPerson,
})
