import { ContractNumber } from '../../contracts/contract.schema.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, Flag, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { findContractOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { AcknowledgeRequest } from './acknowledge.schema.ts'
import { acknowledgeContract } from './acknowledge-contract.ts'

const Acknowledged = ResponseObject('AcknowledgedContract', 'A version of a contract that was acknowledged.', {
  contractNumber: ContractNumber,
  version: Count('The version.'),
  reference: Text(200, 'Your reference.'),
  acknowledgedAt: Timestamp('When it was acknowledged the first time.'),
  isLatest: Flag('Whether this is the latest version. If not, read the contract again.'),
})

export const acknowledgeContractRoute = partnerRoute({
  method: 'POST',
  operationId: 'acknowledgeContract',
  path: '/Contracts/{number}/acknowledge',
  tag: 'Contracts',
  summary: 'Acknowledge a version of a contract',
  description:
    'Says that your back office has taken over this version, and under which reference. Repeating the call is harmless. A later version is unacknowledged again.',
  idDescription: 'The contract number',
  scope: 'contracts:write',
  body: AcknowledgeRequest,
  reply: Acknowledged,
  errors: ['validation_failed', 'acknowledged_otherwise'],
  owner: (deps, parameter) => findContractOwner(deps, parameter('number')),
  handle: (deps, caller, { parameter, body }) =>
    acknowledgeContract(deps, caller, { contractNumber: parameter('number'), ...body }),
  present: ({ acknowledgedAt, ...acknowledged }) => ({ ...acknowledged, acknowledgedAt: timestamp(acknowledgedAt) }),
})
