import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, described, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { ContractNumber, ContractStatusName } from '../contract.schema.ts'
import { publicCauses } from '../contract.ts'
import { dryRunQuery, EndedContractObject, presentEndedContract } from '../ended-contract.schema.ts'
import { answerQuestion } from './answer-question.ts'
import { endHousehold, type HouseholdEnd } from './end-household.ts'
import { endAnswers, endEvidences } from './household-end.ts'

const HouseholdEndObject = ResponseObject(
  'HouseholdEnd',
  'A household whose tenancy is said to end. It never shows who said so, or what a tenant answered.',
  {
    quoteId: Id('The id of the quote.'),
    lastDay: Nullable(DateOnly('The last day that you named; null after you took it back.')),
    askedTenants: Type.Integer({ minimum: 0, description: 'How many tenants are being asked about this day.' }),
    answersUntil: Nullable(DateOnly('The last day on which their answers count; null if nobody is asked.')),
    contracts: Type.Array(
      ResponseObject('ContractOfHousehold', 'A contract of the household.', {
        customerId: Id('The id of the customer.'),
        contractNumber: ContractNumber,
        status: ContractStatusName,
        lastDay: DateOnly('The last day of the contract, as it is now.'),
      }),
      { maxItems: 100, description: 'The contracts in force.' },
    ),
  },
)

function presentHouseholdEnd({ quoteId, lastDay, ...end }: HouseholdEnd): Static<typeof HouseholdEndObject> {
  const { askedTenants, answersUntil, contracts } = end
  return {
    ...{ quoteId, lastDay, askedTenants, answersUntil },
    contracts: contracts.map((contract) => {
      const { customerId, contractNumber, status } = contract
      return { customerId, contractNumber, status, lastDay: lastDayOf(contract) }
    }),
  }
}

export const endHouseholdRoute = route({
  operationId: 'endHousehold',
  method: 'POST',
  path: '/Quotes/{id}/end-household',
  tag: 'Quotes',
  summary: "Say that a household's tenancy ends",
  description:
    "Ends nothing by itself: every tenant whose contract would go on is e-mailed, and again after 7 days, whether their tenancy ends on `lastDay`. Who leaves has a contract that ends on that day, or on the day that they name, without a fee. Who stays keeps theirs. Answers count until `lastDay`, and for at least 14 days. Who is silent is ended only in a joint assured tenancy in England, and only if two sources that do not depend on each other named the day: two tenants, a tenant and you, or one of these and the home's supplier. Otherwise the contract goes on, and the operator asks. Nothing due after `lastDay` is collected from who was asked until 30 days after their time to answer. Send another day to move what you said, or null to take it back. The same request again changes nothing. Send `dryRun=true` first to see who would be asked.",
  idDescription: 'quoteId',
  scope: 'quotes:write',
  query: dryRunQuery,
  body: RequestObject('EndHouseholdRequest', 'When the tenancy ends, and what shows it.', {
    lastDay: Nullable(DateOnly('The last day of the tenancy; null to take back what you said.')),
    reason: Choice(publicCauses, 'Why it ends.'),
    evidence: Type.Optional(
      Choice(
        endEvidences,
        "What shows it. Required for `tenancy_ended`; without it, your word does not count for who is silent. A landlord's notice, of any ground, is no evidence: a tenancy goes on until its tenants leave or a court's order is carried out.",
      ),
    ),
  }),
  reply: HouseholdEndObject,
  errors: ['validation_failed', 'contract_not_in_force', 'end_date_not_allowed'],
  handle: (deps, { caller, id, query, body }) =>
    endHousehold(deps, caller, id, {
      lastDay: body.lastDay as IsoDate | null,
      reason: body.reason,
      evidence: body.evidence ?? null,
      by: null,
      dryRun: query.dryRun === 'true',
    }),
  present: presentHouseholdEnd,
})

/** Only the operator's: a partner never answers for a tenant. */
export const answerTenancyEndRoute = route({
  operationId: 'answerTenancyEnd',
  method: 'POST',
  path: '/Customers/{id}/answer-tenancy-end',
  tag: 'Customers',
  summary: 'Record what a tenant answers about the end of their tenancy',
  description:
    'Use it for what the tenant told you when you asked them. Their contract ends on the day they were asked about, or on the one that they name, without a fee, or goes on. The answer says nothing for other tenants. Send `dryRun=true` first: the response shows what would be owed, and nothing changes.',
  idDescription: 'customerId',
  scope: 'customers:write',
  query: dryRunQuery,
  body: RequestObject('AnswerTenancyEndRequest', 'What the tenant answers.', {
    answer: Choice(endAnswers, 'Whether they leave on the day they were asked about, stay, or leave on another day.'),
    otherDay: Type.Optional(DateOnly('The last day of their tenancy, with `other_day`.')),
  }),
  reply: ResponseObject('AnsweredTenancyEnd', 'What a tenant answered.', {
    customerId: Id('The id of the customer.'),
    ended: Nullable(described(EndedContractObject, 'How their contract ends; null if it goes on.')),
  }),
  errors: ['validation_failed', 'contract_not_in_force', 'end_date_not_allowed', 'nothing_asked'],
  handle: (deps, { caller, id, query, body }) =>
    answerQuestion(deps, caller, id, {
      answer: body.answer,
      otherDay: (body.otherDay as IsoDate | undefined) ?? null,
      browserHash: null,
      dryRun: query.dryRun === 'true',
    }),
  present: ({ customerId, ended }) => ({
    customerId,
    ended: ended === null ? null : presentEndedContract(ended),
  }),
})
