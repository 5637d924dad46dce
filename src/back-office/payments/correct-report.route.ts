import Type from 'typebox'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { GivenId } from '../../platform/http/schemas/values.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { correctReport } from './correct-report.ts'
import { entryIdOf, OperatorPaymentObject, presentPayment } from './payment.schema.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

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
