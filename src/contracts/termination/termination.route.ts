import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, NamedChoice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { QuoteStatusName } from '../../quoting/quotes/quote.schema.ts'
import { type Quote, quoteStatus } from '../../quoting/quotes/quote.ts'
import { ContractNumber, EndCauseName, EndReasonName } from '../contract.schema.ts'
import { endReasonChecks } from '../contract.ts'
import {
  dryRunQuery,
  EndedContractObject,
  noticeFields,
  presentEndedContract,
  readNotice,
} from '../ended-contract.schema.ts'
import { cancelContract } from './cancel-contract.ts'
import { confirmEndReason } from './confirm-end-reason.ts'
import { endContract } from './end-contract.ts'
import { keepContract } from './keep-contract.ts'
import { type MovedStart, moveStart } from './move-start.ts'

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

export const confirmEndReasonRoute = route({
  operationId: 'confirmEndReason',
  method: 'POST',
  path: '/Customers/{id}/confirm-end-reason',
  tag: 'Customers',
  summary: 'Say whether the reason for an early end is true',
  description:
    'For a contract that ends early, above all one whose tenant says that the tenancy ends or did not start, or that nobody can live in the home. Nobody is charged or told, whatever you say: if it is not true, the operator looks into it.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('ConfirmEndReasonRequest', 'Whether the reason is true.', {
    isTrue: Type.Boolean({ description: 'Whether the reason is true, as far as you know.' }),
  }),
  reply: ResponseObject('CheckedEndReason', 'A contract that ends early, and what is said of the reason.', {
    customerId: Id('The id of the customer.'),
    contractNumber: ContractNumber,
    endReason: described(EndReasonName, 'Why the contract ends.'),
    check: NamedChoice(
      'EndReasonCheck',
      endReasonChecks,
      'What is said of the reason: `doubted` is for the operator to look into, who makes it `settled` or `confirmed`.',
    ),
  }),
  errors: ['validation_failed', 'contract_not_in_force', 'nothing_asked'],
  handle: (deps, { caller, id, body }) => confirmEndReason(deps, caller, id, body.isTrue),
  present: (checked) => checked,
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

const QuotedTermObject = ResponseObject('QuotedTerm', 'The dates of a household and what it pays for them.', {
  contractStartDate: DateOnly('The first day of the contract.'),
  contractEndDate: DateOnly('The last day of the contract.'),
  monthlyCost: Pence('What the household pays in an average month in pence, including VAT and without set-up.'),
  totalCost: Pence('What the household pays for the whole term in pence, including set-up and VAT.'),
})

function presentTerm({ contractStartDate, contractEndDate, price }: Quote): Static<typeof QuotedTermObject> {
  if (price === null) throw new Error('a household whose first day moves has a price')
  const { monthlyCost, totalCost } = price
  return { contractStartDate, contractEndDate, monthlyCost, totalCost }
}

const MovedStartObject = ResponseObject('MovedStart', 'A household whose first day moved.', {
  quoteId: Id('The id of the quote, which is open again.'),
  status: QuoteStatusName,
  expiresAt: Timestamp('Until when the new prices are valid.'),
  before: described(QuotedTermObject, 'As it was.'),
  after: described(QuotedTermObject, 'As it is quoted now.'),
  endedContracts: Type.Array(EndedContractObject, {
    maxItems: 100,
    description: 'The contracts that were in force, and what is paid back. No fee is owed.',
  }),
})

function presentMovedStart({ before, after, ended }: MovedStart): Static<typeof MovedStartObject> {
  const { quoteId, expiresAt } = after
  return {
    ...{ quoteId, status: quoteStatus(after), expiresAt: timestamp(expiresAt) },
    ...{ before: presentTerm(before), after: presentTerm(after) },
    endedContracts: ended.map(presentEndedContract),
  }
}

export const moveStartRoute = route({
  operationId: 'moveStart',
  method: 'POST',
  path: '/Quotes/{id}/move-start',
  tag: 'Quotes',
  summary: 'Move the first day of a household',
  description:
    "Possible until the operator requested supply, also after everybody signed. Contracts in force end without a fee, as if they had never begun (`tenancy_did_not_start`), and what was paid is paid back; contracts that wait for others are `superseded`. The same quote is open again, priced for the new day on today's rate card. Cards and personal details stay. Each tenant is e-mailed, and has to read and agree again before the new prices expire. Send `dryRun=true` first: the response shows the old and the new prices, and nothing changes.",
  idDescription: 'quoteId',
  scope: 'quotes:write',
  query: dryRunQuery,
  body: RequestObject('MoveStartRequest', 'The new dates.', {
    contractStartDate: DateOnly('The new first day: from tomorrow to 12 months ahead.'),
    contractEndDate: Type.Optional(
      DateOnly('The new last day. By default, one that was chosen stays, and otherwise the contract has 12 months.'),
    ),
  }),
  reply: MovedStartObject,
  errors: ['validation_failed', 'packages_required', 'quote_cancelled', 'start_not_movable'],
  handle: (deps, { caller, id, query, body }) =>
    moveStart(deps, caller, id, {
      contractStartDate: body.contractStartDate as IsoDate,
      contractEndDate: body.contractEndDate as IsoDate | undefined,
      dryRun: query.dryRun === 'true',
    }),
  present: presentMovedStart,
})
