import Type from 'typebox'
import { encodeCursor, idFromCursor, PageQuery } from '../../platform/http/schemas/page.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import { isPossiblePhone, toE164 } from '../../platform/kernel/phone.ts'
import { normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { operatorRead } from '../http/operator-route.ts'
import { type CustomerSearch, findCustomers } from './find-customers.ts'
import { FoundCustomerList, presentFoundCustomer } from './found-customer.schema.ts'

const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 254, description }))

const keys = {
  email: Key('The e-mail address, in any letter case.'),
  phone: Key('The phone number, in British or international form.'),
  postcode: Key('The postcode of the home, with or without a space.'),
  reference: Key("The partner's own id of the quote."),
  contractNumber: Key('The contract number, with or without hyphens.'),
}

export const findCustomersRoute = operatorRead({
  operationId: 'findCustomers',
  path: '/Customers',
  tag: 'Customers',
  summary: 'Find customers',
  description:
    'Returns the customers of all partners that match every filter you send, the latest first. Send at least one. Also returns customers who were removed from their quote. Somebody who was erased is found by the postcode, the reference and the contract number only.',
  scope: 'support:read',
  query: Type.Object({ ...keys, ...PageQuery }, { additionalProperties: false }),
  reply: FoundCustomerList,
  errors: ['validation_failed'],
  reads: (services, _caller, { query: { limit = 20, cursor, ...given } }) =>
    findCustomers(services, searchOf(given), { after: idFromCursor(cursor, 'tenant'), limit }),
  present: ({ customers, hasMore }) => ({
    data: customers.map(presentFoundCustomer),
    nextCursor: encodeCursor(hasMore ? (customers.at(-1)?.customerId ?? null) : null),
  }),
})

function searchOf(given: { [Name in keyof typeof keys]?: string }): CustomerSearch {
  const { email, phone, postcode, reference, contractNumber } = given
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
  }
}

function wrong(name: string, what: string): never {
  throw invalidFields([{ pointer: `/query/${name}`, code: 'wrong_format', detail: `This is not a British ${what}.` }])
}
