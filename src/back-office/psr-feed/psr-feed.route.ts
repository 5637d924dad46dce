import Type, { type Static } from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { psrChanges } from '../../contracts/operator-feeds/feed-changes.ts'
import { NamedChoice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, DateOnly, Flag, Id, presentAs, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { Address } from '../../properties/address.schema.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { AcknowledgeRequest, FeedQuery, feedPageFields, feedPageOf, maxFeedPage } from '../contract-feed/feed.schema.ts'
import { encodeFeedCursor } from '../contract-feed/feed-cursor.ts'
import type { FeedPage } from '../contract-feed/read-contract-feed.ts'
import { operatorRoute, partnerRoute } from '../http/operator-route.ts'
import { acknowledgePsr, findPsrOwner } from './acknowledge-psr.ts'
import { type PsrEntry, type RegisteredNeed, readPsrFeed } from './read-psr-feed.ts'

const PsrChangeName = NamedChoice(
  'PsrChange',
  psrChanges,
  '`registered`: register the customer. `changed`: replace what is registered. `expired`: every need has ended. `withdrawn`: remove the customer from the register.',
)

const Need = ResponseObject('RegisteredNeed', 'A need of the customer.', {
  code: Text(10, 'The industry code of the need.'),
  expiryDate: Nullable(DateOnly('The last day of a temporary need; null if none was given.')),
  youngestChildDateOfBirth: Nullable(DateOnly("The youngest child's date of birth; null if none was given.")),
  lastDay: Nullable(DateOnly('The last day on which the need exists; null if it does not end.')),
  hasEnded: Flag('Whether the last day is over.'),
})

const Contact = ResponseObject('RegisteredContact', 'A person whom networks may contact about the customer.', {
  firstName: Text(100, 'The first name.'),
  lastName: Text(100, 'The last name.'),
  relationship: Text(100, 'The relationship to the customer.'),
  phone: Text(40, 'The phone number in E.164 format.'),
  email: Nullable(Text(254, 'The e-mail address; null if none was given.')),
})

const Registration = ResponseObject('PsrRegistration', 'What networks must know. Null once it is withdrawn.', {
  name: Text(300, 'First and last name of the customer.'),
  email: Text(254, 'The e-mail address.'),
  phone: Text(40, 'The phone number in E.164 format.'),
  dateOfBirth: Nullable(DateOnly('The date of birth.')),
  home: Address,
  needs: Type.Array(Need, { maxItems: 40, description: 'The needs, also those that have ended.' }),
  authorisedContact: Nullable(Contact),
  password: Nullable(Text(100, 'The password that visitors at the door give; null if none was agreed.')),
  communicationFormat: Nullable(Text(100, 'The format in which the customer needs letters; null if none was given.')),
  notes: Nullable(Text(2_000, 'Anything else; null if nothing was given.')),
})

const Entry = ResponseObject('PsrFeedEntry', 'A customer whom networks must register, as it is now.', {
  customerId: Id('The id of the customer. It identifies the registration.'),
  version: Count('The version. It increases with every change: skip what is not newer than what you have.'),
  change: PsrChangeName,
  at: Timestamp('When it changed last.'),
  acknowledged: Flag('Whether this version was acknowledged.'),
  partnerId: Id('The id of the partner that sold the contract.'),
  partnerName: Text(200, 'The name of that partner.'),
  quoteId: Id('The id of the quote, which stands for the household and its home.'),
  contractNumber: ContractNumber,
  registration: Nullable(Registration),
})

export const PsrFeedObject = ResponseObject('PsrFeed', 'A page of the register feed.', {
  data: Type.Array(Entry, { maxItems: maxFeedPage, description: 'The entries, in the order of their last change.' }),
  ...feedPageFields,
})

/** The page as JSON. */
function presentPsrFeed({ entries, next, hasMore }: FeedPage<PsrEntry>): Static<typeof PsrFeedObject> {
  return { data: entries.map(presentEntry), nextCursor: encodeFeedCursor(next), hasMore }
}

function presentEntry(entry: PsrEntry): Static<typeof Entry> {
  return presentAs(Entry, {
    ...entry,
    at: entry.changedAt,
    acknowledged: entry.isAcknowledged,
    registration: presentRegistration(entry.registration),
  })
}

function presentRegistration(registration: PsrEntry['registration']): Static<typeof Registration> | null {
  if (registration === null) return null
  const { personal, address, needs, details } = registration
  const { authorisedContact: contact, password = null, communicationFormat = null, notes = null } = details
  return presentAs(Registration, {
    ...personal,
    name: fullName(personal),
    home: presentAs(Address, address),
    needs: needs.map(presentNeed),
    authorisedContact: contact === undefined ? null : presentAs(Contact, { ...contact, email: contact.email ?? null }),
    ...{ password, communicationFormat, notes },
  })
}

function presentNeed(need: RegisteredNeed): Static<typeof Need> {
  const { code, expiryDate = null, youngestChildDateOfBirth = null, lastDay, hasEnded } = need
  return { code, expiryDate, youngestChildDateOfBirth, lastDay, hasEnded }
}

export const readPsrFeedRoute = operatorRoute({
  operationId: 'listPriorityServices',
  path: '/PriorityServices',
  tag: 'Priority Services Register',
  summary: 'Follow whom networks must register',
  description:
    'Returns the customers with needs and a contract in force, each once, at the position of its last change. A withdrawal appears again every day until you acknowledge it. Cursors work as those of the contract feed, but are not the same.',
  scope: 'psr:read',
  query: FeedQuery,
  reply: PsrFeedObject,
  errors: ['validation_failed', 'feed_reset'],
  handle: (deps, { now }, { query }) => readPsrFeed({ ...deps, now }, feedPageOf(query)),
  present: presentPsrFeed,
})

export const acknowledgePsrRoute = partnerRoute({
  method: 'POST',
  operationId: 'acknowledgePriorityServices',
  path: '/PriorityServices/{customerId}/acknowledge',
  tag: 'Priority Services Register',
  summary: 'Acknowledge a version of a registration',
  description:
    'Says that you have passed on this version, and under which reference. Repeating the call is harmless. A later version is unacknowledged again.',
  idDescription: 'The id of the customer',
  scope: 'psr:read',
  body: AcknowledgeRequest,
  reply: ResponseObject('AcknowledgedRegistration', 'A version of a registration that was acknowledged.', {
    customerId: Id('The id of the customer.'),
    version: Count('The version.'),
    reference: Text(200, 'Your reference.'),
    acknowledgedAt: Timestamp('When it was acknowledged the first time.'),
    isLatest: Flag('Whether this is the latest version. If not, read the feed again.'),
  }),
  errors: ['validation_failed', 'acknowledged_otherwise'],
  owner: (deps, parameter) => findPsrOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, body }) => {
    const customerId = parameter('customerId')
    if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
    return acknowledgePsr(deps, caller, { customerId, ...body })
  },
  present: ({ acknowledgedAt, ...acknowledged }) => ({ ...acknowledged, acknowledgedAt: timestamp(acknowledgedAt) }),
})
