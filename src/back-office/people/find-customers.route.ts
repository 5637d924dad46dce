import Type, { type Static } from 'typebox'
import { ContractNumber, ContractStatusName } from '../../contracts/contract.schema.ts'
import { auditActors } from '../../platform/audit/audit-entry.ts'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { Id, presentAs, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { isPossiblePhone, toE164 } from '../../platform/kernel/phone.ts'
import { normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { presentQuoteAddress, QuoteAddress } from '../../quoting/quotes/quote.schema.ts'
import { lastEmail } from '../../quoting/tenants/customer-summary.schema.ts'
import { outputPersonalFields, presentPersonalDetails } from '../../quoting/tenants/personal-details.schema.ts'
import { findCustomerOwner } from '../http/find-owner.ts'
import { operatorRoute, partnerRoute } from '../http/operator-route.ts'
import { type CustomerSearch, type FoundCustomer, findCustomers } from './find-customers.ts'
import { maxTimelineEntries, readTimeline, type TimelineEntry } from './read-timeline.ts'

const ContractOfCustomer = ResponseObject('ContractOfCustomer', 'A contract, by its number.', {
  contractNumber: ContractNumber,
  status: ContractStatusName,
})

const FoundCustomerObject = ResponseObject('FoundCustomer', 'A customer of any partner.', {
  customerId: Id('The id of the customer.'),
  partnerId: Id('The id of the partner.'),
  partnerName: Text(200, 'The name of the partner.'),
  quoteId: Id('The id of the quote.'),
  reference: Nullable(Text(100, "The partner's own id of the quote; null if it has none.")),
  personalDetails: ResponseObject('FoundPerson', 'The person.', outputPersonalFields),
  address: QuoteAddress,
  contracts: Type.Array(ContractOfCustomer, { maxItems: 100, description: 'What they agreed to, the oldest first.' }),
  createdAt: Timestamp('When they were added to the quote.'),
  removedAt: Nullable(Timestamp('When they were removed from the quote; null if they were not.')),
  erasedAt: Nullable(Timestamp('When their personal data was erased; null if it was not.')),
  lastEmail,
})

/** @internal Tests type responses with it. */
export const FoundCustomerList = PageOf('FoundCustomerList', FoundCustomerObject)

function presentFoundCustomer(found: FoundCustomer): Static<typeof FoundCustomerObject> {
  const { personal, address } = found
  const presented = { personalDetails: presentPersonalDetails(personal), address: presentQuoteAddress(address) }
  return presentAs(FoundCustomerObject, { ...found, ...presented })
}

const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 254, description }))

const keys = {
  email: Key('The e-mail address, in any letter case.'),
  phone: Key('The phone number, in British or international form.'),
  postcode: Key('The postcode of the home, with or without a space.'),
  reference: Key("The partner's own id of the quote."),
  branch: Key("The branch of a partner that sells the quote, in the partner's own spelling."),
  contractNumber: Key('The contract number, with or without hyphens.'),
  quoteId: Key('The id of the quote: finds its household.'),
}

export const findCustomersRoute = operatorRoute({
  operationId: 'findCustomers',
  path: '/Customers',
  tag: 'Customers',
  summary: 'Find customers',
  description:
    'Returns the customers of all partners that match every filter you send, the latest first. Send at least one. Also returns customers who were removed from their quote. Somebody who was erased is found by the postcode, the reference, the branch, the contract number and the quote only.',
  scope: 'support:read',
  query: Type.Object({ ...keys, ...PageQuery }, { additionalProperties: false }),
  reply: FoundCustomerList,
  errors: ['validation_failed'],
  handle: (deps, _caller, { query: { limit = 20, cursor, ...given } }) =>
    findCustomers(deps, searchOf(given), { after: idFromCursor(cursor, 'tenant'), limit }),
  present: ({ customers, hasMore }) => ({
    data: customers.map(presentFoundCustomer),
    nextCursor: cursorAfter(customers, hasMore, ({ customerId }) => customerId),
  }),
})

function searchOf(given: { [Name in keyof typeof keys]?: string }): CustomerSearch {
  const { email, phone, postcode, reference, branch, contractNumber, quoteId } = given
  if (Object.keys(given).length === 0)
    throw invalidFields(
      [
        {
          pointer: '/query',
          code: 'required',
          detail: `Say whom you are looking for: send at least one of ${Object.keys(keys).join(', ')}.`,
        },
      ],
      'invalid_request',
    )
  const digits = contractNumber?.replaceAll(/[\s-]/g, '')
  return {
    email,
    phone: phone === undefined ? undefined : isPossiblePhone(phone) ? toE164(phone) : wrong('phone', 'phone number'),
    postCode: postcode === undefined ? undefined : (normalisePostcode(postcode) ?? wrong('postcode', 'postcode')),
    reference,
    branch,
    contractNumber: digits?.replace(/(\d{4})(?=\d)/g, '$1-'),
    quoteId,
  }
}

function wrong(name: string, what: string): never {
  throw invalidFields([{ pointer: `/query/${name}`, code: 'wrong_format', detail: `This is not a British ${what}.` }])
}

const TimelineActor = ResponseObject('TimelineActor', 'Who did it.', {
  actor: Choice(auditActors, 'Who did it. `database`: somebody who was connected to the database directly.'),
  credential: Nullable(
    Text(255, 'The client id, the id of a person or the login that was used; null if there was none.'),
  ),
  person: Nullable(Text(100, 'The name that the person has today; null if it was no person.')),
  operation: Nullable(Text(255, 'The operation, command or job; null if there was none.')),
  requestId: Nullable(Text(255, 'The id of the request; null if it was not a request.')),
})

const CustomerTimelineEntry = ResponseObject('CustomerTimelineEntry', 'Something that happened.', {
  at: Timestamp('When it happened. In a sandbox whose clock was moved, events have the time on that clock.'),
  what: Text(
    200,
    'The type of an event, such as `customer.contract.changed`; what was done, such as `customer changed`; or an e-mail and what became of it, such as `e-mail link sent`.',
  ),
  by: Nullable(TimelineActor),
  fields: Type.Array(Text(100, 'The name of a field.'), {
    maxItems: 100,
    description: 'The names of the fields that changed or were read, without their values.',
  }),
  data: Nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'What the partner was told; null unless it is an event.' },
    ),
  ),
})

/** @internal Tests type responses with it. */
export const CustomerTimeline = ResponseObject('CustomerTimeline', 'What happened to a customer.', {
  entries: Type.Array(CustomerTimelineEntry, {
    maxItems: 3 * maxTimelineEntries,
    description: `The latest ${maxTimelineEntries.toLocaleString('en-GB')} events, as many entries of the audit log and as many e-mails, oldest first.`,
  }),
})

function presentTimelineEntry(entry: TimelineEntry): Static<typeof CustomerTimelineEntry> {
  const at = timestamp(entry.at)
  if ('event' in entry) return { at, what: entry.event.type, by: null, fields: [], data: entry.event.data }
  if ('mail' in entry) {
    const { kind, outcome } = entry.mail
    return { at, what: `e-mail ${kind} ${outcome ?? 'pending'}`, by: null, fields: [], data: null }
  }
  const { actor, credential, person, operation, requestId, subjectType, action, fields } = entry.audit
  const by = { actor, credential, person, operation, requestId }
  return { at, what: `${subjectType} ${action}`, by, fields, data: null }
}

export const readTimelineRoute = partnerRoute({
  operationId: 'readTimeline',
  path: '/Customers/{customerId}/timeline',
  tag: 'Customers',
  summary: 'Read what happened to a customer',
  description:
    'Returns what happened to a customer of any partner and by whom, oldest first: the events that the partner was told, the entries of the audit log, and the e-mails. Values are never part of it, only the names of what changed. Without the scope `psr:read`, nothing in it says that there are Priority Services Register details.',
  idDescription: 'customerId',
  scope: 'support:read',
  reply: CustomerTimeline,
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, scopes }, { db: system }) => {
    const customerId = parameter('customerId')
    if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
    return readTimeline({ ...deps, system }, caller, { customerId, withPsr: scopes.includes('psr:read') })
  },
  present: (entries) => ({ entries: entries.map(presentTimelineEntry) }),
})
