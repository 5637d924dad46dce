import Type, { type Static } from 'typebox'
import { ContractNumber } from '../contracts/contract.schema.ts'
import { entryStatuses, type PaymentEntry } from '../payments/ledger/payment-entry.ts'
import { PaymentKind, RefundKindName } from '../payments/payment.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence, Text, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { listCustomerPayments } from './customer-payments.ts'

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
  const { contractNumber, kind, refundKind, date, amount, description, status, collectedAt, collectedAmount } = entry
  return {
    ...{ contractNumber, kind, refundKind, date, amount, description, status },
    paidAt: collectedAt === null ? null : timestamp(collectedAt),
    paidAmount: collectedAmount ?? 0,
    refundedAmount: entry.refundedAmount,
  }
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
