import Type, { type Static } from 'typebox'
import { described, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence } from '../platform/http/schemas/values.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { ContractObject, presentContract } from './contract.schema.ts'
import type { EndedContract } from './termination/cancel-under-lock.ts'
import type { EndingNotice } from './termination/contract-to-end.ts'
import type { Settlement } from './termination/settle-contract.ts'

/** The query of an operation that can be tried without changing anything. */
export const dryRunQuery = Type.Object(
  {
    dryRun: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description: 'With `true`, nothing changes. Defaults to `false`.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** What requests say about the end of a contract. */
export const noticeFields = {
  comment: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What the tenant said, in your words. Stored encrypted.',
    }),
  ),
  sentOn: Type.Optional(
    DateOnly(
      'The day on which the tenant sent their message or gave notice. It decides whether they are in time, and the notice runs from it. `informedOn` by default; never before they accepted.',
    ),
  ),
  informedOn: Type.Optional(
    DateOnly(
      'The day on which the message arrived. A refund is due 14 days later. Today by default; never before `sentOn`, never in the future.',
    ),
  ),
}

/** What a request says about the end of a contract. */
export function readNotice(body: { comment?: string; sentOn?: string; informedOn?: string } = {}): EndingNotice {
  // These casts are safe: the request was validated against `noticeFields`.
  return {
    comment: body.comment,
    sentOn: body.sentOn as IsoDate | undefined,
    informedOn: body.informedOn as IsoDate | undefined,
  }
}

const LastPayment = ResponseObject('LastPayment', 'A payment after the end of a contract was set.', {
  date: DateOnly('The working day on which it is taken.'),
  amount: Pence('The amount in pence.'),
})

export const FinalStatement = ResponseObject(
  'FinalStatement',
  'What the tenant owes in the end. Amounts include VAT.',
  {
    supplyCost: Pence('The cost of supply up to the last day, in pence.'),
    setupCost: Pence('The set-up cost that is owed, in pence.'),
    exitFee: Pence('The fee for leaving early, in pence.'),
    exitFeeVat: Pence('The VAT in the fee, in pence.'),
    priceReduction: Pence('How much of these is not owed, because the price was reduced, in pence.'),
    totalCost: Pence(
      'The sum of supply, set-up and fee, less the reduction, in pence. It is also `alreadyPaid`, `waivedAmount`, `owedAgainAmount` and `amountDue` together, less `refundAmount`.',
    ),
    alreadyPaid: Pence(
      'What was collected for the contract, less what was paid back, in pence. Compensation that was paid does not lower it.',
    ),
    waivedAmount: Pence('What the operator gave up: it is not asked for, in pence.'),
    owedAgainAmount: Pence(
      'What is owed again, such as after a lost dispute, in pence. It is asked for apart from this, as a payment of its own at least ten days ahead.',
    ),
    lateFeeAmount: Pence(
      'Fees for failed payments that are still to be taken, in pence. They are owed besides the total.',
    ),
    refundAmount: Pence('What the tenant is paid back, in pence; 0 if anything is due.'),
    refundBy: Nullable(DateOnly('The day by which the refund is made; null if there is none.')),
    amountDue: Pence(
      'What is still to be collected by the planned payments that stay, the last payment and that of the fee, in pence.',
    ),
    lastPayment: Nullable(
      described(
        LastPayment,
        'The last payment; null if the planned payments that stay cover what is due but for the fee.',
      ),
    ),
    exitFeePayment: Nullable(described(LastPayment, 'The payment of the fee; null if nothing of a fee is due.')),
  },
)

export const EndedContractObject = ResponseObject(
  'EndedContract',
  'A contract that ends, and what is owed in the end.',
  {
    customerId: Id('The id of the customer.'),
    contract: ContractObject,
    finalStatement: FinalStatement,
    askedUntil: Nullable(
      DateOnly(
        'A partner said that the tenancy ends, so the tenant was asked by e-mail: the contract ends on this day, with this statement, unless they say no until then. Null if nobody is asked.',
      ),
    ),
  },
)

export function presentEndedContract({
  customerId,
  contract,
  settlement,
  askedUntil = null,
}: Omit<EndedContract, 'askedUntil'> & { askedUntil?: IsoDate | null }): Static<typeof EndedContractObject> {
  return {
    customerId,
    contract: presentContract(contract),
    finalStatement: presentSettlement(settlement),
    askedUntil,
  }
}

/** What is owed in the end, as JSON. */
export function presentSettlement(settlement: Settlement): Static<typeof FinalStatement> {
  return {
    supplyCost: settlement.supplyCost,
    setupCost: settlement.setUpCost,
    exitFee: settlement.fee,
    exitFeeVat: settlement.feeVat,
    priceReduction: settlement.reduction,
    totalCost: settlement.total,
    alreadyPaid: settlement.alreadyPaid,
    waivedAmount: settlement.waived,
    owedAgainAmount: settlement.owedAgain,
    lateFeeAmount: settlement.lateFees,
    refundAmount: settlement.refund,
    refundBy: settlement.refundBy,
    amountDue: settlement.due,
    lastPayment: settlement.lastPayment,
    exitFeePayment: settlement.feePayment,
  }
}
