import Type from 'typebox'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { GivenId, Id, Text } from '../../platform/http/schemas/values.ts'
import { DomainError, type FieldError } from '../../platform/kernel/errors.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { findReportOwner, settleUnmatched } from './settle-unmatched.ts'

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
