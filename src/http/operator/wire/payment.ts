import Type, { type Static } from 'typebox'
import { type LedgerStatus, ledgerStatuses } from '../../../domain/payments/ledger/ledger-status.ts'
import type { OperatorPayment, UnmatchedPayment } from '../../../domain/payments/operator/operator-payments.store.ts'
import { ContractNumber } from '../../wire/contract.ts'
import { Choice, NamedChoice, Nullable, ResponseObject } from '../../wire/named.ts'
import { DateOnly, Id, NextCursor, Pence, Text, Timestamp, timestamp } from '../../wire/values.ts'

/** The most payments of a page. */
export const maxPaymentPage = 500

const wireNames = ledgerStatuses.map((status) => (status === 'planned' ? 'scheduled' : status))
const aboutStatus =
  '`scheduled`: due some day. `submitted`: the processor was asked. `failed`: the last attempt failed, and it is still due. `refunded`: paid back in full. `waived`: given up. `cancelled`: no longer owed.'

/** A status of a payment, as the operator API names it. */
export const PaymentStatusName = NamedChoice('OperatorPaymentStatus', wireNames, aboutStatus)

/** The ledger's name of a status. */
export function ledgerStatusOf(name: (typeof wireNames)[number]): LedgerStatus {
  const found = ledgerStatuses[wireNames.indexOf(name)]
  if (found === undefined) throw new Error('a status passed validation that is none')
  return found
}

export const OperatorPaymentObject = ResponseObject(
  'OperatorPayment',
  'Something that a customer owes or, for a refund, is owed.',
  {
    entryId: Id('The id of the payment. Put it into the metadata of the payment intent as `housebill_entry_id`.'),
    partnerId: Id('The id of the partner.'),
    partnerName: Text(200, 'The name of the partner.'),
    partnerStatus: Choice(
      ['active', 'suspended', 'disabled'],
      'The status of the partner. Payments go on whatever it is.',
    ),
    quoteId: Id('The id of the quote.'),
    customerId: Id('The id of the customer.'),
    contractNumber: Nullable(ContractNumber),
    kind: Choice(
      ['plan', 'fee', 'refund', 'final'],
      '`plan`: a payment of the plan that was agreed. `final`: the last payment after an early end. `refund`: to be paid back to the customer.',
    ),
    status: PaymentStatusName,
    dueDate: DateOnly('The working day on which it is taken or, for a refund, by which it is paid back.'),
    amount: Pence('The amount in pence, including VAT.'),
    description: Text(500, 'What it is for, as the customer reads it.'),
    paymentId: Nullable(Id("The processor's id of the last attempt, or yours; null before the first.")),
    collectedAt: Nullable(Timestamp('When it was collected; null until then.')),
    collectedAmount: Nullable(Pence('What was collected; null until then.')),
    refundedAmount: Pence('How much of it was paid back.'),
    processorCustomerId: Nullable(Id('The customer at the payment processor; null for an erased customer.')),
  },
)

export const PaymentList = ResponseObject('OperatorPaymentList', 'A page of payments, by due date.', {
  data: Type.Array(OperatorPaymentObject, { maxItems: maxPaymentPage, description: 'The payments.' }),
  nextCursor: NextCursor,
})

export function presentPayment(payment: OperatorPayment): Static<typeof OperatorPaymentObject> {
  const { entryId, partnerId, quoteId, customerId, contractNumber, kind, status, date, amount, description } = payment
  const { paymentId, collectedAt, collectedAmount, refundedAmount, processorCustomerId } = payment
  const { partnerName, partnerStatus } = payment
  return {
    ...{ partnerName, partnerStatus },
    ...{ entryId, partnerId, quoteId, customerId, contractNumber, kind, dueDate: date, amount, description, paymentId },
    status: status === 'planned' ? 'scheduled' : status,
    collectedAt: collectedAt === null ? null : timestamp(collectedAt),
    ...{ collectedAmount, refundedAmount, processorCustomerId },
  }
}

const Unmatched = ResponseObject('UnmatchedPayment', 'Money that moved at the processor and belongs to no payment.', {
  reportId: Id('The id of what the processor reported.'),
  partnerId: Id('The id of the partner.'),
  customerId: Id('The id of the customer.'),
  outcome: Choice(['paid', 'refunded', 'disputed'], 'What happened.'),
  paymentId: Id("The processor's id of the payment."),
  amount: Nullable(Pence('The amount in pence; for a refund, the total so far. Null if it was not in pounds.')),
  occurredAt: Timestamp('When it happened.'),
})

export const UnmatchedList = ResponseObject('UnmatchedPaymentList', 'A page of unmatched payments, oldest first.', {
  data: Type.Array(Unmatched, { maxItems: maxPaymentPage, description: 'The payments.' }),
  nextCursor: NextCursor,
})

export function presentUnmatched(payment: UnmatchedPayment): Static<typeof Unmatched> {
  const { reportId, partnerId, customerId, outcome, paymentId, amount, occurredAt } = payment
  return { reportId, partnerId, customerId, outcome, paymentId, amount, occurredAt: timestamp(occurredAt) }
}
