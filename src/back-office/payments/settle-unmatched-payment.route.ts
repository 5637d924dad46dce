import Type from 'typebox'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, GivenId, Id, Text, WholeNumber } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { putBack } from './put-back.ts'
import { findPaymentEntryOwner } from './report-payment.ts'
import { findReportOwner, settleUnmatched } from './settle-unmatched.ts'

const notBoth: FieldError = {
  pointer: '',
  code: 'not_allowed',
  detail: 'Send either entryId, the payment that this is, or reason, how else you settled it.',
}

export const settleUnmatchedPaymentRoute = partnerRoute({
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

export const putPaymentBackRoute = partnerRoute({
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
    dueDate: DateOnly('The day on which it is taken: at least 10 days ahead.'),
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
