import Type from 'typebox'
import { reportableStatuses } from '../../payments/ledger/ledger-status.ts'
import { paymentErrorCodes } from '../../payments/payment-error.ts'
import { Choice, RequestObject } from '../../platform/http/schemas/named.ts'
import { GivenTimestamp, parseOptionalInstant, WholeNumber } from '../../platform/http/schemas/values.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { findPaymentEntryOwner, reportPayment } from './report-payment.ts'

export const reportPaymentRoute = partnerRoute({
  method: 'POST',
  operationId: 'reportPayment',
  path: '/Payments/{entryId}/status',
  tag: 'Payments',
  summary: 'Report what became of a payment',
  description:
    'Records what you know of a payment, as a notice of the payment processor would, so that the customer and the partner see it. You need not report what the processor reports itself. Repeating the call is harmless.',
  idDescription: 'The id of the payment',
  scope: 'payments:write',
  body: RequestObject('ReportPaymentRequest', 'What became of the payment.', {
    status: Choice(
      reportableStatuses,
      'The new status, or what became of a dispute. `dispute_won`: the bank gave the money back. `dispute_lost`: it did not, and what it took is owed again.',
    ),
    paymentId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[\\x21-\\x7e]+$',
        description:
          "The processor's id of the payment, or your own: visible ASCII characters without spaces. Notices of the processor with this id are matched to the payment. Required unless it was reported before.",
      }),
    ),
    amount: Type.Optional(
      WholeNumber({
        minimum: 1,
        maximum: 2_147_483_647,
        description:
          'In pence. For `refunded`, the total that was paid back so far. For a refund, what this transfer paid back. Defaults to everything that is open.',
      }),
    ),
    occurredAt: Type.Optional(GivenTimestamp('When it happened. Defaults to now.')),
    error: Type.Optional(Choice(paymentErrorCodes, 'Why it failed. Defaults to `processing_error`.')),
  }),
  reply: OperatorPaymentObject,
  errors: ['validation_failed', 'payment_status_not_allowed'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter, body: { status, paymentId, amount, occurredAt, error } }) => {
    const entryId = entryIdOf(parameter)
    const at = parseOptionalInstant(occurredAt)
    return reportPayment(deps, caller, { entryId, status, paymentId, amount, occurredAt: at, error })
  },
  present: presentPayment,
})
