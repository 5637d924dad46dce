import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, described, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, Pence } from '../platform/http/schemas/values.ts'
import { PaymentStatusName } from '../quoting/quotes/quote.schema.ts'
import { collectOutcomes, collectPayment } from './collect-payment.ts'

export const collectPaymentRoute = route({
  operationId: 'sandboxCollectPayment',
  method: 'POST',
  path: '/Sandbox/customers/{id}/collect',
  tag: 'Sandbox',
  summary: "Collect the next payment on the operator's behalf",
  description:
    "The simulated processor takes the first payment of the customer's schedule that is not collected yet from the attached card and sends its webhook. Each payment is collected once, also by simultaneous calls. The customer's contract must be in force. The result depends on the card, unless you set `outcome`. With the outcome `refunded` or `disputed`, it instead refunds the payment that was collected last, or the tenant's bank disputes it.",
  idDescription: 'customerId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('CollectPaymentRequest', 'The outcome of the collection.', {
    outcome: Type.Optional(Choice(collectOutcomes, 'The outcome. Depends on the card if you leave it out.')),
  }),
  bodyIsOptional: true,
  reply: ResponseObject('CollectedPayment', 'The outcome of a collection.', {
    customerId: Id('The id of the customer.'),
    amount: Pence('The amount of the attempted, refunded or disputed payment, in pence.'),
    paymentStatus: described(PaymentStatusName, "The customer's payment status after the attempt."),
  }),
  errors: ['contract_not_in_force', 'payment_setup_incomplete', 'validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id, body }) => collectPayment(deps, caller, { ...body, customerId: id }),
  present: ({ customerId, amount, paymentStatus }) => ({ customerId, amount, paymentStatus }),
})
