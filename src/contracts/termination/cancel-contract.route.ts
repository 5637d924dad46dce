import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import {
  dryRunQuery,
  EndedContractObject,
  noticeFields,
  presentEndedContract,
  readNotice,
} from '../ended-contract.schema.ts'
import { cancelContract } from './cancel-contract.ts'

export const cancelContractRoute = route({
  operationId: 'cancelContract',
  method: 'POST',
  path: '/Customers/{id}/cancel-contract',
  tag: 'Customers',
  summary: "Cancel a customer's contract without a reason",
  description:
    'Possible until the end of the 14th day after the contract took effect (`cancellableUntil`), and at any time before it takes effect. The tenant pays only for supply that they expressly asked for. With `dryRun=true`, the response shows what would be owed or paid back, and nothing changes.',
  idDescription: 'customerId',
  scope: 'customers:write',
  query: dryRunQuery,
  body: RequestObject('CancelContractRequest', 'What the tenant said.', noticeFields),
  bodyIsOptional: true,
  reply: EndedContractObject,
  errors: ['validation_failed', 'contract_not_in_force', 'contract_not_cancellable'],
  handle: (deps, { caller, id, query, body }) =>
    cancelContract(deps, caller, id, { ...readNotice(body), dryRun: query.dryRun === 'true' }),
  present: presentEndedContract,
})
