import { operatorReadOfPartner } from '../http/operator-route.ts'
import { PaymentWithReports, presentPayment, presentReport } from './payment.schema.ts'
import { readPayment } from './read-payment.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

export const readPaymentRoute = operatorReadOfPartner({
  operationId: 'readPayment',
  path: '/Payments/{entryId}',
  tag: 'Payments',
  summary: 'Get a payment',
  description:
    'Returns a payment of any partner with everything that was reported about it, by the processor and by you.',
  idDescription: 'The id of the payment',
  scope: 'payments:read',
  reply: PaymentWithReports,
  owner: (services, parameter) => findPaymentEntryOwner(services, parameter('entryId')),
  reads: (services, caller, { parameter }) => readPayment(services, caller, parameter('entryId')),
  present: ({ payment, reports }) => ({ payment: presentPayment(payment), reports: reports.map(presentReport) }),
})
