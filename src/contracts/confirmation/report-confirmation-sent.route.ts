import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { GivenTimestamp } from '../../platform/http/schemas/values.ts'
import { requireInstant } from '../../platform/kernel/instant.ts'
import { ContractObject, presentContract } from '../contract.schema.ts'
import { reportConfirmationSent } from './report-confirmation-sent.ts'

export const reportConfirmationSentRoute = route({
  operationId: 'reportConfirmationSent',
  method: 'POST',
  path: '/Customers/{id}/contracts/{contractNumber}/confirmation-sent',
  tag: 'Customers',
  summary: 'Report that a contract was confirmed',
  description:
    'When a contract takes effect, its tenant must be sent a confirmation that it is in force, with the contract, by e-mail or on paper. If the operator has agreed that you send it, report each one here. The tenant can cancel until the end of the 14th day after the day on which it was first sent. A report of a later time changes nothing.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('ReportConfirmationSentRequest', 'When the confirmation was sent.', {
    sentAt: GivenTimestamp('When you sent it: not before the contract took effect, and not in the future.'),
  }),
  reply: ContractObject,
  errors: ['validation_failed', 'contract_not_in_force'],
  handle: (deps, { caller, id, parameter, body }) =>
    reportConfirmationSent(deps, caller, {
      customerId: id,
      contractNumber: parameter('contractNumber'),
      sentAt: requireInstant(body.sentAt),
    }),
  present: presentContract,
})
