import Type from 'typebox'
import { Payment, presentPayment, ScheduledRefundObject } from '../payments/payment.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence } from '../platform/http/schemas/values.ts'
import { onboardingWarningFields, presentOnboardingWarnings } from './onboarding-warnings.schema.ts'
import { getPaymentSchedules } from './payment-schedules.ts'

const amountFields = {
  monthlyAmount: Pence(
    "The customer's share of an average month in pence, including VAT and without set-up. The first and last payments differ from it.",
  ),
  setupAmount: Pence("The customer's share of the one-off set-up charges in pence, including VAT."),
}

const PaymentSchedule = ResponseObject('PaymentSchedule', 'All payments of a contract.', {
  ...amountFields,
  billingCycle: Choice(['monthly'], 'How often a payment is taken.'),
  nextPaymentDate: DateOnly('The day of the next payment; of the last if none is left, today if there are none.'),
  payments: Type.Array(Payment, {
    maxItems: 100,
    description:
      "All payments of the contract. Without fees, they add up to the customer's `totalCost` or, if the contract ends early, to what is owed and the `refunds`. Empty if there is nothing to pay.",
  }),
  refund: Nullable(
    ResponseObject('Refund', 'What the tenant is still to be paid back.', {
      amount: Pence('The amount in pence.'),
      date: DateOnly('The day by which it is paid back.'),
    }),
  ),
  refunds: Type.Array(ScheduledRefundObject, {
    maxItems: 100,
    description: 'Everything that is paid back, also what was paid already, by day.',
  }),
})

export const paymentSchedulesRoute = route({
  operationId: 'getPaymentSchedules',
  method: 'GET',
  path: '/Customers/{id}/payment-schedules',
  tag: 'Customers',
  summary: "Get a customer's payment schedule",
  description:
    'Payments are taken each month on the billing day, or on the next working day. Until the terms are accepted, the schedule is calculated from today; after that it is final.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerPaymentSchedule', "A customer's payment schedule.", {
    customerId: Id('The id of the customer.'),
    paymentSchedule: PaymentSchedule,
    ...amountFields,
    ...onboardingWarningFields,
  }),
  errors: [
    'quote_expired',
    'quote_cancelled',
    'packages_required',
    'personal_information_required',
    'customer_removed',
  ],
  handle: (deps, { caller, id }) => getPaymentSchedules(deps, caller, id),
  present: ({ customerId, share, nextPaymentDate, refund, refunds, warnings, ...schedule }) => {
    const payments = schedule.payments.map(presentPayment)
    const amounts = { monthlyAmount: share.monthlyCost, setupAmount: share.setupCost }
    return {
      customerId,
      paymentSchedule: { ...amounts, billingCycle: 'monthly' as const, nextPaymentDate, payments, refund, refunds },
      ...amounts,
      ...presentOnboardingWarnings(warnings),
    }
  },
})
