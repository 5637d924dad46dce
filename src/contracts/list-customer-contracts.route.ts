import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { ResponseObject } from '../platform/http/schemas/named.ts'
import { Id } from '../platform/http/schemas/values.ts'
import { ContractObject, presentContract } from './contract.schema.ts'
import { listCustomerContracts } from './list-customer-contracts.ts'

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
