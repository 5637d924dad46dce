import Type from 'typebox'
import { PaymentKind } from '../../payments/payment.schema.ts'
import { Choice } from '../../platform/http/schemas/named.ts'
import { cursorAfter, matchCursor, pageQuery } from '../../platform/http/schemas/page.ts'
import { DateOnly, GivenId } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { operatorRoute, partnerRoute } from '../http/operator-route.ts'
import { listPayments, listUnmatched, readPayment } from './list-payments.ts'
import {
  ledgerStatusOf,
  maxPaymentPage,
  PaymentList,
  PaymentStatusName,
  PaymentWithReports,
  presentPayment,
  presentReport,
  presentUnmatched,
  UnmatchedList,
} from './payment.schema.ts'
import { findPaymentEntryOwner } from './report-payment.ts'

const cursorPattern = /^(\d{4}-\d{2}-\d{2})\.(entry_[0-9a-z]{26})$/

function positionOf(cursor: string) {
  const [, date = '', entryId = ''] = matchCursor(cursor, cursorPattern)
  return { date, entryId }
}

export const listPaymentsRoute = operatorRoute({
  operationId: 'listPayments',
  path: '/Payments',
  tag: 'Payments',
  summary: 'List payments',
  description:
    'Returns payments of all partners by due date. Payments of contracts that are not in force yet are left out, because nobody owes them.',
  scope: 'payments:read',
  query: Type.Object(
    {
      dueBefore: Type.Optional(DateOnly('Only payments that are due before this day.')),
      status: Type.Optional(PaymentStatusName),
      customerId: Type.Optional(GivenId('Only payments of this customer.')),
      kind: Type.Optional(PaymentKind),
      owedAgain: Type.Optional(
        Choice(
          ['true'],
          'Only payments of which something is owed again and waits for you to put it back on the plan.',
        ),
      ),
      ...pageQuery({ items: 'payments', max: maxPaymentPage, standard: 100 }),
    },
    { additionalProperties: false },
  ),
  reply: PaymentList,
  errors: ['validation_failed'],
  handle: (deps, _caller, { query: { dueBefore, status, customerId, kind, owedAgain, limit = 100, cursor } }) =>
    listPayments(deps, {
      dueBefore: dueBefore === undefined ? undefined : isoDate(dueBefore),
      statuses: status === undefined ? undefined : [ledgerStatusOf(status)],
      customerId,
      kind,
      isOwedAgain: owedAgain === 'true',
      after: cursor === undefined ? undefined : positionOf(cursor),
      limit,
    }),
  present: ({ payments, hasMore }) => ({
    data: payments.map(presentPayment),
    nextCursor: cursorAfter(payments, hasMore, ({ date, entryId }) => `${date}.${entryId}`),
  }),
})

export const listUnmatchedPaymentsRoute = operatorRoute({
  operationId: 'listUnmatchedPayments',
  path: '/Payments/unmatched',
  tag: 'Payments',
  summary: 'List payments that belong to nothing',
  description:
    'Returns money that moved at the processor and could not be matched: the payment named no entry that is owed, and no entry has its id or its amount. Settle each by hand.',
  scope: 'payments:read',
  query: Type.Object(pageQuery({ items: 'payments', max: maxPaymentPage, standard: 100, longestCursor: 400 }), {
    additionalProperties: false,
  }),
  reply: UnmatchedList,
  errors: ['validation_failed'],
  handle: (deps, _caller, { query: { limit = 100, cursor } }) =>
    listUnmatched(deps, { after: cursor && matchCursor(cursor, /^report (.+)$/)[1], limit }),
  present: ({ payments, hasMore }) => ({
    data: payments.map(presentUnmatched),
    nextCursor: cursorAfter(payments, hasMore, ({ reportId }) => `report ${reportId}`),
  }),
})

export const readPaymentRoute = partnerRoute({
  operationId: 'readPayment',
  path: '/Payments/{entryId}',
  tag: 'Payments',
  summary: 'Get a payment',
  description:
    'Returns a payment of any partner with everything that was reported about it, by the processor and by you.',
  idDescription: 'The id of the payment',
  scope: 'payments:read',
  reply: PaymentWithReports,
  owner: (deps, parameter) => findPaymentEntryOwner(deps, parameter('entryId')),
  handle: (deps, caller, { parameter }) => readPayment(deps, caller, parameter('entryId')),
  present: ({ payment, reports }) => ({ payment: presentPayment(payment), reports: reports.map(presentReport) }),
})
