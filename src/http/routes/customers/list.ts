import Type from 'typebox'
import { listCustomers } from '../../../domain/customers/list-customers.ts'
import { toE164 } from '../../../domain/customers/phone.ts'
import { route } from '../../route.ts'
import { CustomerSummaryObject, presentCustomerSummary } from '../../wire/customer-summary.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../wire/page.ts'
import { Email, Phone } from '../../wire/values.ts'

export const listCustomersRoute = route({
  operationId: 'listCustomers',
  method: 'GET',
  path: '/Customers',
  tag: 'Customers',
  summary: 'List or find your customers, newest first',
  description:
    'Returns the customers that match every filter you send. Also returns customers who were removed from their quote after they had agreed to a contract. A customer who was erased is found by the quote and its reference only. Every customer on the page is recorded as read in the audit log.',
  scope: 'customers:read',
  query: Type.Object(
    {
      quoteId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Return the customers of this quote.' }),
      ),
      email: Type.Optional(
        Email('Return customers with this email address, in any letter case. In a URL, write + as %2B.'),
      ),
      phone: Type.Optional(Phone('Return customers with this phone number.')),
      reference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Return the customers of the quotes with this reference.',
        }),
      ),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('CustomerList', CustomerSummaryObject),
  errors: ['validation_failed'],
  handle: (services, { caller, query, isHead }) =>
    listCustomers(services, caller, {
      quoteId: query.quoteId,
      email: query.email,
      phone: query.phone === undefined ? undefined : toE164(query.phone),
      reference: query.reference,
      beforeCustomerId: idFromCursor(query.cursor, 'tenant'),
      limit: query.limit ?? 20,
      isHead,
    }),
  present: ({ customers, nextBeforeCustomerId }) => ({
    data: customers.map(presentCustomerSummary),
    nextCursor: encodeCursor(nextBeforeCustomerId),
  }),
})
