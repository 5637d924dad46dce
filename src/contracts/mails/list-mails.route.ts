import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, described, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { ContractNumber } from '../contract.schema.ts'
import { listMails, maxListedMails } from './list-mails.ts'
import { tenantMailOutcomes } from './tenant-mail-kinds.ts'

const CustomerEmail = ResponseObject('CustomerEmail', 'An e-mail to a customer.', {
  emailId: Id('The id of the e-mail, which its Message-ID begins with.'),
  kind: Text(50, 'What it tells, such as `link` or `contract_in_force`. New kinds may be added.'),
  contractNumber: Nullable(
    described(ContractNumber, 'The contract that it is about; null for an e-mail before the customer had one.'),
  ),
  createdAt: Timestamp('When it was written.'),
  outcome: Nullable(
    Choice(
      tenantMailOutcomes,
      'What became of it; null while it is to be sent. `sent`: the mail server took it. `given_up`: the mail server rejected it or the address, or did not take it for three days. `refused`: somebody at the address said that they are not who was meant. `not_permitted`: you recorded no permission to write to the customer before they have a contract. `test_address`: outside a sandbox, an address that ends in `.example` or `.test`. `obsolete`: there was nobody to send it to any more.',
    ),
  ),
  endedAt: Nullable(Timestamp('When that was known; null while it is to be sent.')),
})

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
  present: ({ customerId, emails }) => ({
    customerId,
    emails: emails.map(({ mailId, kind, contractNumber, createdAt, outcome, endedAt }) => ({
      emailId: mailId,
      ...{ kind, contractNumber, outcome },
      createdAt: timestamp(createdAt),
      endedAt: endedAt === null ? null : timestamp(endedAt),
    })),
  }),
})
