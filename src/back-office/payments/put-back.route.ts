import Type from 'typebox'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, WholeNumber } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { putBack } from './put-back.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

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
