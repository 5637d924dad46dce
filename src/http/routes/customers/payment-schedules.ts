import Type from 'typebox'
import { getPaymentSchedules } from '../../../domain/payments/plan/payment-schedules.ts'
import { route } from '../../route.ts'
import { Payment } from '../../wire/payment.ts'
import { DateOnly, Id, Pence } from '../../wire/values.ts'

const Schedule = Type.Object(
  {
    monthlyAmount: Pence,
    setupAmount: Pence,
    billingCycle: Type.Enum(['monthly']),
    nextPaymentDate: DateOnly,
    payments: Type.Array(Payment, {
      maxItems: 100,
      description: "All payments of the contract. They add up to the customer's `totalCost`.",
    }),
  },
  { additionalProperties: false },
)

export const paymentSchedulesRoute = route({
  operationId: 'getPaymentSchedules',
  method: 'GET',
  path: '/Customers/{id}/payment-schedules',
  tag: 'Customers',
  summary: "Get a customer's payment schedule",
  description:
    'Payments are taken monthly in advance on the billing day, or on the next working day. Until the terms are accepted, the schedule is calculated from today; after that it is final.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: Type.Object(
    { customerId: Id(), paymentSchedule: Schedule, monthlyAmount: Pence, setupAmount: Pence },
    { additionalProperties: false },
  ),
  errors: ['quote_expired', 'quote_cancelled', 'packages_required', 'personal_information_required'],
  handle: (services, { caller, id }) => getPaymentSchedules(services, caller, id),
  present: ({ customerId, share, payments, nextPaymentDate }) => {
    const amounts = { monthlyAmount: share.monthlyCost, setupAmount: share.setupCost }
    return {
      customerId,
      paymentSchedule: { ...amounts, billingCycle: 'monthly' as const, nextPaymentDate, payments },
      ...amounts,
    }
  },
})
