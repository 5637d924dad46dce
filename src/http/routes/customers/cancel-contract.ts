import { cancelContract } from '../../../domain/contracts/endings/cancel-contract.ts'
import { route } from '../../route.ts'
import { EndedContractObject, noticeFields, presentEndedContract, readNotice } from '../../wire/ended-contract.ts'
import { RequestObject } from '../../wire/named.ts'

export const cancelContractRoute = route({
  operationId: 'cancelContract',
  method: 'POST',
  path: '/Customers/{id}/cancel-contract',
  tag: 'Customers',
  summary: "Cancel a customer's contract without a reason",
  description:
    'Possible until the end of the 14th day after the contract took effect (`cancellableUntil`), and at any time before it takes effect. The tenant pays only for supply that they expressly asked for.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('CancelContractRequest', 'What the tenant said.', noticeFields),
  bodyIsOptional: true,
  reply: EndedContractObject,
  errors: ['validation_failed', 'contract_not_in_force', 'contract_not_cancellable'],
  handle: (services, { caller, id, body }) => cancelContract(services, caller, id, readNotice(body)),
  present: presentEndedContract,
})
