import type { ScheduledPayment } from '../contracts/preview/scheduled-payments.ts'
import { Choice, NamedChoice, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence, Text } from '../platform/http/schemas/values.ts'
import { entryStatuses, paymentEntryKinds, refundKinds } from './ledger/payment-entry.ts'
import { setupIntentStatuses } from './payment-processor.ts'

/** One payment of a schedule. */
export const Payment = ResponseObject('Payment', 'One payment of a schedule.', {
  date: DateOnly('The working day on which the payment is taken.'),
  amount: Pence(
    'The amount in pence, including VAT. The last payment differs: it pays for what is left of the last billing month and the odd pence. With 5882 a month, 14 of 31 days are 2656, and 2 odd pence make 2658.',
  ),
  kind: Choice(
    ['first', 'monthly', 'last', 'fee'],
    'Whether this is the first payment, a monthly one or the last. `fee`: for a failed payment or for leaving early, owed besides the plan.',
  ),
  periodStart: DateOnly('The first day that the payment covers.'),
  periodEnd: DateOnly('The last day that the payment covers.'),
  description: Text(500, 'What the payment is for, for the tenant to read.'),
  status: Choice(
    entryStatuses,
    'Whether the operator has collected the payment. `failed`: the last attempt failed, and the payment is still due.',
  ),
})

/** What a payment is, for schemas. */
export const PaymentKind = Choice(
  paymentEntryKinds,
  '`plan`: a payment of the plan that was agreed. `fee`: a fee for a late or failed payment. `final`: the last payment after an early end. `exit_fee`: the fee for leaving early. `refund`: to be paid back to the customer.',
)

/** What a refund is, for schemas. */
export const RefundKindName = Choice(
  refundKinds,
  '`price_reduction`: lowers what is owed. `compensation`: lowers nothing that is owed. `payment_back`: was more than is owed, or is paid back and stays owed.',
)

/** A refund of a schedule. */
export const ScheduledRefundObject = ResponseObject('ScheduledRefund', 'What the tenant is paid back.', {
  kind: RefundKindName,
  date: DateOnly('The day by which it is paid back.'),
  amount: Pence('The amount in pence.'),
  paidAmount: Pence('How much of it was paid back so far, in pence.'),
  status: Choice(['planned', 'paid'], '`paid` once all of it was paid back.'),
  description: Text(500, 'What it is for, for the tenant to read.'),
})

export function presentPayment({ entryId, ...payment }: ScheduledPayment): Omit<ScheduledPayment, 'entryId'> {
  return payment
}

export const SetupIntentStatusName = NamedChoice(
  'SetupIntentStatus',
  setupIntentStatuses,
  'The status of a setup intent, as the payment processor names it.',
)

/** The response of the sandbox operations that act on a setup intent. */
export const SetupIntentOutcome = ResponseObject('SetupIntentOutcome', 'A setup intent after a sandbox operation.', {
  setupIntentId: Id('The id of the setup intent.'),
  status: SetupIntentStatusName,
})
