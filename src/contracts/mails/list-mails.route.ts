import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id } from '../../platform/http/schemas/values.ts'
import { CustomerEmail, presentCustomerEmail } from './customer-email.schema.ts'
import { listMails, maxListedMails } from './list-mails.ts'

export const listMailsRoute = route({
  operationId: 'listEmails',
  method: 'GET',
  path: '/Customers/{id}/emails',
  tag: 'Customers',
  summary: 'List the e-mails to a customer',
  description:
    'Shows which e-mails this deployment sent to a customer and what became of each, without their words. If an address refused e-mails or does not exist, correct it with PATCH /Customers/{id}, or reach the customer in another way.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerEmails', 'The e-mails to a customer.', {
    customerId: Id('The id of the customer.'),
    emails: Type.Array(CustomerEmail, {
      maxItems: maxListedMails,
      description: `The latest ${maxListedMails.toLocaleString('en-GB')} e-mails, the latest first.`,
    }),
  }),
  handle: (deps, { caller, id }) => listMails(deps, caller, id),
  present: ({ customerId, emails }) => ({ customerId, emails: emails.map(presentCustomerEmail) }),
})
