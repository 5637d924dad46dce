import Type, { type Static } from 'typebox'
import { ContractNumber, ContractStatusName } from '../../contracts/contract.schema.ts'
import { Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import { isPossiblePhone, toE164 } from '../../platform/kernel/phone.ts'
import { normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { presentQuoteAddress, QuoteAddress } from '../../quoting/quotes/quote.schema.ts'
import { emailProblem } from '../../quoting/tenants/customer-summary.schema.ts'
import { outputPersonalFields, presentPersonalDetails } from '../../quoting/tenants/personal-details.schema.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { type CustomerSearch, type FoundCustomer, findCustomers } from './find-customers.ts'

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
  emailProblem,
})

/** @internal Tests type responses with it. */
export const FoundCustomerList = PageOf('FoundCustomerList', FoundCustomerObject)

function presentFoundCustomer(found: FoundCustomer): Static<typeof FoundCustomerObject> {
  const { customerId, partnerId, partnerName, quoteId, reference, personal, address, contracts } = found
  const { createdAt, removedAt, erasedAt } = found
  return {
    ...{ customerId, partnerId, partnerName, quoteId, reference },
    personalDetails: presentPersonalDetails(personal),
    address: presentQuoteAddress(address),
    contracts,
    createdAt: timestamp(createdAt),
    removedAt: removedAt === null ? null : timestamp(removedAt),
    erasedAt: erasedAt === null ? null : timestamp(erasedAt),
    emailProblem: found.emailProblem,
  }
}

const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 254, description }))

const keys = {
  email: Key('The e-mail address, in any letter case.'),
  phone: Key('The phone number, in British or international form.'),
  postcode: Key('The postcode of the home, with or without a space.'),
  reference: Key("The partner's own id of the quote."),
  contractNumber: Key('The contract number, with or without hyphens.'),
  quoteId: Key('The id of the quote: finds its household.'),
}

export const findCustomersRoute = operatorRoute({
  operationId: 'findCustomers',
  path: '/Customers',
  tag: 'Customers',
  summary: 'Find customers',
  description:
    'Returns the customers of all partners that match every filter you send, the latest first. Send at least one. Also returns customers who were removed from their quote. Somebody who was erased is found by the postcode, the reference, the contract number and the quote only.',
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
  const { email, phone, postcode, reference, contractNumber, quoteId } = given
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
    contractNumber: digits?.replace(/(\d{4})(?=\d)/g, '$1-'),
    quoteId,
  }
}

function wrong(name: string, what: string): never {
  throw invalidFields([{ pointer: `/query/${name}`, code: 'wrong_format', detail: `This is not a British ${what}.` }])
}
