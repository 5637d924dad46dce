import { partnerRoute } from '../http/operator-route.ts'
import { payRefundByOperator } from './pay-refund-by-operator.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

export const payRefundByOperatorRoute = partnerRoute({
  method: 'POST',
  operationId: 'payRefund',
  path: '/Payments/{entryId}/refund',
  tag: 'Payments',
  summary: 'Have the processor pay a refund',
  description:
    'Pays what is open of a refund back to the cards that it came from: the newest payment first, at most what each has left. What no card takes stays open with `payBy` `bank`. Not while a payment of the contract is disputed. Repeating the call never pays anything twice.',
  idDescription: 'The id of the payment of kind refund',
  scope: 'payments:write',
  reply: OperatorPaymentObject,
  errors: ['payment_status_not_allowed', 'service_unavailable'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter }) => payRefundByOperator(deps, caller, entryIdOf(parameter)),
  present: presentPayment,
})
