import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, Text } from '../platform/http/schemas/values.ts'
import { ContractNumber, ContractObject, presentContract } from './contract.schema.ts'
import { listCustomerContracts } from './list-customer-contracts.ts'
import { resendMails } from './resend-mails.ts'

export const listCustomerContractsRoute = route({
  operationId: 'listContracts',
  method: 'GET',
  path: '/Customers/{id}/contracts',
  tag: 'Customers',
  summary: "List a customer's contracts",
  description:
    'A customer who agrees again after a lapse or a reopening gets a new contract. Read the documents of each with its `contractNumber`.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerContracts', "A customer's contracts.", {
    customerId: Id('The id of the customer.'),
    contracts: Type.Array(ContractObject, {
      maxItems: 1_000,
      description: 'Every contract that the customer ever agreed to, the latest first.',
    }),
  }),
  handle: (deps, { caller, id }) => listCustomerContracts(deps, caller, id),
  present: ({ customerId, contracts }) => ({ customerId, contracts: contracts.map(presentContract) }),
})

/** An operation on a customer that only the operator has, because it sends the e-mails. */
export const resendMailsRoute = route({
  operationId: 'resendMails',
  method: 'POST',
  path: '/Customers/{id}/resend-mails',
  tag: 'Customers',
  summary: 'Send a customer their e-mails again',
  description:
    'Sends again what the customer was last sent about their contract, such as the confirmation with the contract as a PDF, in the same words and to the address that they have now.',
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('ResentMails', 'The e-mails that a customer is sent again.', {
    customerId: Id('The id of the customer.'),
    contractNumber: ContractNumber,
    kinds: Type.Array(Text(50, 'A kind, such as `contract_in_force` or `cancelled`. New kinds may be added.'), {
      maxItems: 100,
      description: 'What is sent.',
    }),
  }),
  errors: ['contract_not_in_force', 'customer_erased'],
  handle: (deps, { caller, id }) => resendMails(deps, caller, id),
  present: (resent) => resent,
})
