import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../platform/http/schemas/page.ts'
import { Email, Phone } from '../platform/http/schemas/values.ts'
import { toE164 } from '../platform/kernel/phone.ts'
import { CustomerSummaryObject, presentCustomerSummary } from '../quoting/tenants/customer-summary.schema.ts'
import { listCustomers } from './list-customers.ts'

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
  handle: (deps, { caller, query }) =>
    listCustomers(deps, caller, {
      quoteId: query.quoteId,
      email: query.email,
      phone: query.phone === undefined ? undefined : toE164(query.phone),
      reference: query.reference,
      beforeCustomerId: idFromCursor(query.cursor, 'tenant'),
      limit: query.limit ?? 20,
    }),
  present: ({ customers, nextBeforeCustomerId }) => ({
    data: customers.map(presentCustomerSummary),
    nextCursor: encodeCursor(nextBeforeCustomerId),
  }),
})
