import Type from 'typebox'
import { ContractNumber, EndCauseName } from '../../contracts/contract.schema.ts'
import type { EndRequest } from '../../contracts/termination/end-requests.store.ts'
import { answerEndRequest, readEndRequest } from '../../contracts/termination/request-end.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { findCustomerOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { customerOf } from './deaths.route.ts'

const EndRequestObject = ResponseObject('EndRequest', 'What a tenant asks about the end of their contract.', {
  contractNumber: ContractNumber,
  cause: EndCauseName,
  lastDay: DateOnly('The last day that they ask for.'),
  comment: Nullable(Text(500, 'What they wrote, and how to reach them; null if they wrote nothing.')),
  askedAt: Timestamp('When they asked.'),
  dueOn: DateOnly('The day by which you decide: ten working days after they asked.'),
  outcome: Nullable(Choice(['ended', 'answered'], 'What came of it; null while it is open.')),
  answer: Nullable(Text(2_000, 'What you answered; null if you did not.')),
})
const CustomerEndRequest = ResponseObject('CustomerEndRequest', 'What a customer asked.', {
  customerId: Id('The id of the customer.'),
  request: Nullable(EndRequestObject),
})

function presentRequest({ customerId, request }: { customerId: string; request: EndRequest | null }) {
  return { customerId, request: request && { ...request, askedAt: timestamp(request.askedAt) } }
}

export const readEndRequestRoute = partnerRoute({
  operationId: 'readEndRequest',
  path: '/Customers/{customerId}/end-request',
  tag: 'Customers',
  summary: 'Read what a tenant asks about the end of their contract',
  description:
    'Returns what the tenant asked last on their pages: to end their contract for a cause that is yours to give, or on a day longer ago than their own word counts for. No partner or housemate can read it.',
  idDescription: 'customerId',
  scope: 'support:read',
  reply: CustomerEndRequest,
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter }) => readEndRequest(deps, caller, customerOf(parameter)),
  present: presentRequest,
})

export const answerEndRequestRoute = partnerRoute({
  operationId: 'answerEndRequest',
  method: 'POST',
  path: '/Customers/{customerId}/answer-end-request',
  tag: 'Customers',
  summary: 'Answer a tenant without ending their contract',
  description:
    'The contract goes on, and the tenant reads your answer on their pages. No e-mail is sent, because others may read their mailbox: contact them as they asked. To end the contract instead, call end-contract with the cause.',
  idDescription: 'customerId',
  scope: 'support:write',
  body: RequestObject('AnswerEndRequestRequest', 'What you answer.', {
    answer: Type.String({ minLength: 1, maxLength: 2_000, description: 'The answer. Stored encrypted.' }),
  }),
  reply: CustomerEndRequest,
  errors: ['validation_failed', 'contract_not_in_force', 'nothing_asked'],
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, body: { answer } }) =>
    answerEndRequest(deps, caller, customerOf(parameter), answer),
  present: presentRequest,
})
