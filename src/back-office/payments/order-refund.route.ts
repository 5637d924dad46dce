import Type from 'typebox'
import { RefundKindName } from '../../payments/payment.schema.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { WholeNumber } from '../../platform/http/schemas/values.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { orderRefund } from './order-refund.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

export const orderRefundRoute = partnerRoute({
  method: 'POST',
  operationId: 'orderRefund',
  path: '/Payments/{entryId}/refunds',
  tag: 'Payments',
  summary: 'Order a refund of a payment',
  description:
    'Plans that something of a payment is paid back to the customer, and returns the refund. It is due within 14 days and paid like any other refund. Send an `Idempotency-Key`: each call orders another one.',
  idDescription: 'The id of the payment, of which something was collected and is left',
  scope: 'payments:write',
  body: RequestObject('OrderRefundRequest', 'What is paid back, and why.', {
    kind: RefundKindName,
    amount: Type.Optional(
      WholeNumber({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'In pence. Defaults to all that is left of the payment.',
      }),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      format: 'single-line',
      description: 'Why. Must not contain personal data.',
    }),
    setOff: Type.Optional(
      Type.Boolean({
        description:
          'With `true`, a compensation is taken off the next planned payments instead of being paid out. Only if the customer has agreed to that.',
      }),
    ),
  }),
  reply: OperatorPaymentObject,
  errors: ['validation_failed', 'payment_status_not_allowed'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter, body: { kind, amount, reason, setOff = false } }) =>
    orderRefund(deps, caller, { entryId: entryIdOf(parameter), kind, amount, reason, setOff }),
  present: presentPayment,
})
