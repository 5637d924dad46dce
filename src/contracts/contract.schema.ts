import type { Static } from 'typebox'
import { NamedChoice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, presentAs, Text, Timestamp } from '../platform/http/schemas/values.ts'
import { type Contract, cancellableUntil, contractStatuses, endCauses, endReasons } from './contract.ts'

export const ContractStatusName = NamedChoice(
  'ContractStatus',
  contractStatuses,
  'The status of a contract: `agreed` until every tenant of the quote has accepted, then `in_force`. `lapsed` and `superseded` contracts never took effect.',
)

export const EndReasonName = NamedChoice(
  'EndReason',
  endReasons,
  'Why a contract ended or never took effect, and why a quote or customer moved back.',
)

export const EndCauseName = NamedChoice(
  'EndCause',
  endCauses,
  'Why the tenant ends their contract early. `tenancy_ended`, `tenancy_did_not_start` (the let fell through; possible until supply begins) and `property_uninhabitable` are for everybody, and `other`, the default, is an end for no cause. The rest only the operator can send: they are stored encrypted, and `endReason` is `notice`.',
)

export const ContractNumber = Text(40, 'The contract number, such as `4821-7730-9150`. It is printed in the contract.')

export const ContractObject = ResponseObject('Contract', 'A contract of a customer.', {
  contractNumber: ContractNumber,
  status: ContractStatusName,
  agreedAt: Timestamp('When the customer accepted the terms.'),
  effectiveAt: Nullable(Timestamp('When every tenant had accepted, so that the contract took effect; null before.')),
  cancellableUntil: Nullable(
    Timestamp(
      'The last moment at which the customer can cancel without giving a reason; null before the contract takes effect, when it can be withdrawn at any time. The 14 days begin anew if the confirmation is first sent on a later day.',
    ),
  ),
  startsOn: DateOnly('The first day of the contract.'),
  endsOn: DateOnly('The last day of the contract as agreed.'),
  endedOn: Nullable(DateOnly('The day on which the contract ended early or came to nothing; null otherwise.')),
  endReason: Nullable(EndReasonName),
  confirmationSentAt: Nullable(
    Timestamp('When the tenant was first sent the confirmation that the contract is in force; null until then.'),
  ),
})

export function presentContract(contract: Contract): Static<typeof ContractObject> {
  return presentAs(ContractObject, { ...contract, cancellableUntil: cancellableUntil(contract) })
}
