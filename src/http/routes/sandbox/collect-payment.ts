import Type from 'typebox'
import { paymentStatuses } from '../../../domain/customers/customer.ts'
import { collectPayment } from '../../../domain/sandbox/collect-payment.ts'
import { route } from '../../route.ts'
import { Id, wholePence } from '../../wire/values.ts'

export const collectPaymentRoute = route({
  operationId: 'sandboxCollectPayment',
  method: 'POST',
  path: '/Sandbox/customers/{id}/collect',
  tag: 'Sandbox',
  summary: "Collect the next payment on the operator's behalf",
  description:
    "The simulated processor takes the next payment of the customer's schedule from the attached card and sends its webhook. The result depends on the card, unless you set `outcome`.",
  idDescription: 'customerId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: Type.Object({ outcome: Type.Optional(Type.Enum(['paid', 'failed'])) }, { additionalProperties: false }),
  bodyIsOptional: true,
  reply: Type.Object(
    {
      customerId: Id(),
      amount: wholePence('The amount of the attempted payment, in pence.'),
      paymentStatus: Type.Enum([...paymentStatuses], {
        description: "The customer's payment status after the attempt.",
      }),
    },
    { additionalProperties: false },
  ),
  errors: ['payment_setup_incomplete', 'validation_failed', 'service_unavailable'],
  handle: (services, { caller, id, body }) => collectPayment(services, caller, { ...body, customerId: id }),
  present: ({ customerId, amount, paymentStatus }) => ({ customerId, amount, paymentStatus }),
})
