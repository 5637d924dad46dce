import Type, { type Static } from 'typebox'
import { ContractNumber } from '../contracts/contract.schema.ts'
import { entryStatuses, type PaymentEntry } from '../payments/ledger/payment-entry.ts'
import {
  Payment,
  PaymentKind,
  presentPayment,
  RefundKindName,
  ScheduledRefundObject,
} from '../payments/payment.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Flag, Id, Pence, presentAs, Text, Timestamp } from '../platform/http/schemas/values.ts'
import { createSetupIntent } from './create-setup-intent.ts'
import { listCustomerPayments } from './customer-payments.ts'
import { onboardingWarningFields, presentOnboardingWarnings } from './onboarding-warnings.schema.ts'
import { getPaymentSchedules } from './payment-schedules.ts'

const CustomerPayment = ResponseObject('CustomerPayment', 'Something the customer owes or, for a refund, is owed.', {
  contractNumber: ContractNumber,
  kind: PaymentKind,
  refundKind: Nullable(RefundKindName),
  date: DateOnly('The working day on which it is taken or, for a refund, the day by which it is paid back.'),
  amount: Pence('The amount in pence, including VAT.'),
  description: Text(500, 'What it is for, for the tenant to read.'),
  status: Choice(
    entryStatuses,
    'What became of it. `failed`: the last attempt failed, and it is still due. `refunded`: paid back in full. `disputed`: the bank of the tenant took it back.',
  ),
  paidAt: Nullable(Timestamp('When it was paid or, for a refund, first paid back; null until then.')),
  paidAmount: Pence('What was paid of it or, for a refund, paid back so far, in pence.'),
  refundedAmount: Pence('How much of a payment was paid back, in pence; 0 for a refund.'),
})

function presentCustomerPayment(entry: PaymentEntry): Static<typeof CustomerPayment> {
  return presentAs(CustomerPayment, { ...entry, paidAt: entry.collectedAt, paidAmount: entry.collectedAmount ?? 0 })
}

export const listCustomerPaymentsRoute = route({
  operationId: 'listCustomerPayments',
  method: 'GET',
  path: '/Customers/{id}/payments',
  tag: 'Customers',
  summary: "List a customer's payments",
  description:
    'Returns what the customer pays and has paid since they accepted, with fees and refunds, by due date. What is no longer owed is left out. For the plan before acceptance, use `GET /Customers/{id}/payment-schedules`.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('CustomerPayments', 'The payments of a customer.', {
    customerId: Id('The id of the customer.'),
    payments: Type.Array(CustomerPayment, {
      maxItems: 1_000,
      description: 'The payments, by due date; empty until the customer accepts the terms.',
    }),
  }),
  handle: (deps, { caller, id }) => listCustomerPayments(deps, caller, id),
  present: ({ customerId, payments }) => ({ customerId, payments: payments.map(presentCustomerPayment) }),
})

const SetupIntent = ResponseObject('SetupIntent', "A setup intent for the customer's card.", {
  customerId: Id('The id of the customer.'),
  setupIntentId: Id('The id of the setup intent.'),
  clientSecret: Type.String({
    maxLength: 500,
    description: "Pass this to the payment processor's card form in the browser. Housebill never logs or stores it.",
  }),
  processorCustomerId: Id('The id of the customer at the payment processor.'),
})

export const createSetupIntentRoute = route({
  operationId: 'createSetupIntent',
  method: 'POST',
  path: '/Customers/{id}/create-setup-intent',
  tag: 'Customers',
  summary: "Create a setup intent for the customer's card",
  description:
    'Attaches a card with the payment processor; nothing is charged. While an intent is open, calling again returns the same intent. The first intent of a quote makes the quote `active` and locks it. With `replace`, it attaches another card, also after the terms are accepted.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('CreateSetupIntentRequest', 'Whether to attach another card.', {
    replace: Type.Optional(
      Flag(
        'If true and a card is attached, creates a setup intent for another card, at any time. The attached card stays in use until the other one is attached. If no card is attached, this changes nothing.',
      ),
    ),
  }),
  bodyIsOptional: true,
  reply: SetupIntent,
  errors: [
    'customer_erased',
    'quote_expired',
    'quote_cancelled',
    'packages_required',
    'personal_information_required',
    'customer_details_refused',
    'broadband_products_required',
    'service_unavailable',
  ],
  handle: (deps, { caller, id, body }) => createSetupIntent(deps, caller, id, body),
  present: ({ customerId, intent }) => ({
    customerId,
    setupIntentId: intent.setupIntentId,
    clientSecret: intent.clientSecret,
    processorCustomerId: intent.processorCustomerId,
  }),
  secrets: {
    remove: (response) => ({ ...(response as object), clientSecret: '' }),
    restore: async ({ paymentProcessor }, _caller, stored) => {
      const { clientSecret } = await paymentProcessor.readSetupIntent(
        (stored as { setupIntentId: string }).setupIntentId,
      )
      return { ...(stored as object), clientSecret }
    },
  },
})

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
