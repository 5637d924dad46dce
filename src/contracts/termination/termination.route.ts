import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { DateOnly } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { EndCauseName } from '../contract.schema.ts'
import {
  dryRunQuery,
  EndedContractObject,
  noticeFields,
  presentEndedContract,
  readNotice,
} from '../ended-contract.schema.ts'
import { cancelContract } from './cancel-contract.ts'
import { endContract } from './end-contract.ts'
import { keepContract } from './keep-contract.ts'

export const endContractRoute = route({
  operationId: 'endContract',
  method: 'POST',
  path: '/Customers/{id}/end-contract',
  tag: 'Customers',
  summary: "End a customer's contract early",
  description:
    'Ends a contract in force on `endDate`, with the notice and the fee of the terms that the tenant agreed to. For a `reason` for which the terms waive the fee, no notice and no unpaid set-up is due, and the day can lie in the past. Call it again to move a last day that you set. The contract stays `in_force` until that day is over. If that day is before the first day of the contract, the contract ends at once and only the fee is owed. Send `dryRun=true` first: the response shows what would be owed, and nothing changes.',
  idDescription: 'customerId',
  scope: 'customers:write',
  query: dryRunQuery,
  body: RequestObject('EndContractRequest', 'When the contract ends, and what the tenant said.', {
    endDate: Type.Optional(DateOnly('The last day of the contract. Required, unless the tenancy did not start.')),
    reason: Type.Optional(EndCauseName),
    ...noticeFields,
  }),
  reply: EndedContractObject,
  errors: ['validation_failed', 'contract_not_in_force', 'early_exit_not_defined', 'end_date_not_allowed'],
  handle: (deps, { caller, id, query, body }) =>
    endContract(deps, caller, id, {
      ...readNotice(body),
      endDate: body.endDate as IsoDate | undefined,
      reason: body.reason ?? 'other',
      dryRun: query.dryRun === 'true',
    }),
  present: presentEndedContract,
})

export const keepContractRoute = route({
  operationId: 'keepContract',
  method: 'POST',
  path: '/Customers/{id}/keep-contract',
  tag: 'Customers',
  summary: 'Take back an early end',
  description:
    'The contract runs to its agreed last day, and the tenant pays what they would have paid: payments that were dropped come back, at least ten days ahead. Possible for who set the early end, until the operator reports that supply has ended or the last day is over. With `dryRun=true`, nothing changes.',
  idDescription: 'customerId',
  scope: 'customers:write',
  query: dryRunQuery,
  reply: EndedContractObject,
  errors: ['contract_not_in_force', 'end_date_not_allowed'],
  handle: (deps, { caller, id, query }) => keepContract(deps, caller, id, { dryRun: query.dryRun === 'true' }),
  present: presentEndedContract,
})

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
