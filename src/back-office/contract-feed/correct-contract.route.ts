import Type from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, DateOnly } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { findContractOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { correctContract, wrongMeterPoints } from './correct-contract.ts'

const Digits = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[0-9]+$', description })

const optionalDate = (date: string | undefined) => (date === undefined ? null : isoDate(date))

export const correctContractRoute = partnerRoute({
  method: 'POST',
  operationId: 'correctContract',
  path: '/Contracts/{number}/corrections',
  tag: 'Contracts',
  summary: 'Correct a contract',
  description:
    'Corrects what turned out to be wrong after the contract was agreed, and makes a new version. The documents stay as they were. Meter points and the install date hold for every contract of the household, the date of birth for this one.',
  idDescription: 'The contract number',
  scope: 'contracts:write',
  body: RequestObject(
    'CorrectContractRequest',
    'What is corrected, and why.',
    {
      mpan: Type.Optional(Digits(13, 'The electricity meter point (MPAN core), with its check digit.')),
      mprn: Type.Optional(Digits(10, 'The gas meter point (MPRN), with its check digits.')),
      installDate: Type.Optional(DateOnly('The day on which broadband is installed.')),
      dateOfBirth: Type.Optional(DateOnly('The date of birth of the customer.')),
      reason: Type.String({
        minLength: 1,
        maxLength: 200,
        format: 'single-line',
        description: 'Why, for your records. Must not contain personal data.',
      }),
    },
    { minProperties: 2 },
  ),
  refine: (body) => wrongMeterPoints(body as { mpan?: unknown; mprn?: unknown }),
  reply: ResponseObject('CorrectedContract', 'A contract after a correction.', {
    contractNumber: ContractNumber,
    version: Count('The version that the correction made.'),
  }),
  errors: ['validation_failed', 'contract_not_in_force', 'customer_erased'],
  owner: (deps, parameter) => findContractOwner(deps, parameter('number')),
  handle: (deps, caller, { parameter, body: { mpan = null, mprn = null, installDate, dateOfBirth, reason } }) =>
    correctContract(deps, caller, {
      contractNumber: parameter('number'),
      mpan,
      mprn,
      installDate: optionalDate(installDate),
      dateOfBirth: optionalDate(dateOfBirth),
      reason,
    }),
  present: (corrected) => corrected,
})
