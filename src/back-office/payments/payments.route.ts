import Type from 'typebox'
import { reportableStatuses } from '../../payments/ledger/ledger-status.ts'
import { RefundKindName } from '../../payments/payment.schema.ts'
import { paymentErrorCodes } from '../../payments/payment-error.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import {
  DateOnly,
  GivenId,
  GivenTimestamp,
  Id,
  parseOptionalInstant,
  Text,
  WholeNumber,
} from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { correctReport } from './correct-report.ts'
import { orderRefund, payRefundByOperator } from './order-refund.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { putBack } from './put-back.ts'
import { findPaymentEntryOwner, reportPayment } from './report-payment.ts'
import { findReportOwner, settleUnmatched } from './settle-unmatched.ts'

export const reportPaymentRoute = partnerRoute({
  method: 'POST',
  operationId: 'reportPayment',
  path: '/Payments/{entryId}/status',
  tag: 'Payments',
  summary: 'Report what became of a payment',
  description:
    'Records what you know of a payment, as a notice of the payment processor would, so that the customer and the partner see it. The customer is e-mailed what you waive. You need not report what the processor reports itself. Repeating the call is harmless.',
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
    reason: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200, format: 'single-line' },
        description: 'Why you give it up, only with `waived`. Stored encrypted; only you see it.',
      }),
    ),
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: 'Anything else, only with a `reason`.' }),
    ),
  }),
  reply: OperatorPaymentObject,
  errors: ['validation_failed', 'payment_status_not_allowed'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter, body: { occurredAt, ...said } }) => {
    const at = parseOptionalInstant(occurredAt)
    return reportPayment(deps, caller, { entryId: entryIdOf(parameter), ...said, occurredAt: at })
  },
  present: presentPayment,
})

export const correctReportRoute = partnerRoute({
  method: 'POST',
  operationId: 'correctPaymentReport',
  path: '/Payments/{entryId}/corrections',
  tag: 'Payments',
  summary: 'Correct a report about a payment',
  description:
    'Says that a report of yours was wrong, and why. It stays in the list of reports and counts no longer; then report what is right. What is owed again is not asked for until you put it back on the plan. Repeating the call is harmless.',
  idDescription: 'The id of the payment',
  scope: 'payments:write',
  body: RequestObject('CorrectPaymentReportRequest', 'Which report was wrong, and why.', {
    reportId: GivenId('The report, as GET /operator-api/Payments/{entryId} lists it. It must be one of yours.'),
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      format: 'single-line',
      description: 'Why it was wrong. Must not contain personal data.',
    }),
  }),
  reply: OperatorPaymentObject,
  errors: ['validation_failed'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter, body: { reportId, reason } }) =>
    correctReport(deps, caller, { entryId: entryIdOf(parameter), reportId, reason }),
  present: presentPayment,
})

export const putBackRoute = partnerRoute({
  method: 'POST',
  operationId: 'putPaymentBack',
  path: '/Payments/{entryId}/put-back',
  tag: 'Payments',
  summary: 'Put what is owed again back on the plan',
  description:
    'Plans what is owed again of a payment, after a dispute was lost or a report was corrected, as a payment of its own, and returns that. Nothing else ever asks for it. There is no late fee for it.',
  idDescription: 'The id of the payment of which something is owed again',
  scope: 'payments:write',
  body: RequestObject('PutPaymentBackRequest', 'When it is due.', {
    dueDate: DateOnly(
      'The day on which it is taken: at least 10 days ahead. A weekend or bank holiday moves to the next working day.',
    ),
    amount: Type.Optional(
      WholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'In pence. Defaults to all that is owed again.' }),
    ),
  }),
  reply: OperatorPaymentObject,
  errors: ['validation_failed', 'payment_status_not_allowed'],
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter, body: { dueDate, amount } }) =>
    putBack(deps, caller, { entryId: entryIdOf(parameter), dueOn: isoDate(dueDate), amount }),
  present: presentPayment,
})

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

const notBoth: FieldError = {
  pointer: '',
  code: 'not_allowed',
  detail: 'Send either entryId, the payment that this is, or reason, how else you settled it.',
}

export const settleUnmatchedRoute = partnerRoute({
  method: 'POST',
  operationId: 'settleUnmatchedPayment',
  path: '/Payments/unmatched/{reportId}/settle',
  tag: 'Payments',
  summary: 'Settle a payment that belongs to nothing',
  description:
    'Either says which payment it was, which is then paid, or how else you dealt with it. Refunds and disputes of the same payment are settled with it.',
  idDescription: 'The reportId of the unmatched payment. Encode characters such as colons',
  scope: 'payments:write',
  body: RequestObject(
    'SettlePaymentRequest',
    'One of the two.',
    {
      entryId: Type.Optional(GivenId('The payment of the same customer that this is.')),
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          format: 'single-line',
          description: 'How else you settled it. Must not contain personal data.',
        }),
      ),
    },
    { minProperties: 1 },
  ),
  refine: (body) => {
    const given = body as { entryId?: unknown; reason?: unknown } | null
    return given?.entryId !== undefined && given?.reason !== undefined ? [notBoth] : []
  },
  reply: ResponseObject('SettledPayment', 'How it was settled.', {
    reportId: Id('The id of what the processor reported.'),
    entryId: Nullable(Id('The payment that it was; null if it was none.')),
    reason: Nullable(Text(200, 'How else it was settled; null if it was a payment.')),
  }),
  errors: ['validation_failed', 'payment_status_not_allowed'],
  owner: (deps, parameter) => findReportOwner(deps, parameter('reportId')),
  handle: (deps, caller, { parameter, body: { entryId, reason = '' } }) => {
    const reportId = parameter('reportId')
    if (entryId === undefined) return settleUnmatched(deps, caller, { reportId, reason })
    if (!isId('entry', entryId)) throw new DomainError('not_found', 'There is no payment with this entryId.')
    return settleUnmatched(deps, caller, { reportId, entryId })
  },
  present: (settled) => settled,
})
