import Type from 'typebox'
import { Choice } from '../../platform/http/schemas/named.ts'
import { encodeCursor, matchCursor } from '../../platform/http/schemas/page.ts'
import { DateOnly, GivenId, WholeNumber } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { operatorRead } from '../http/operator-route.ts'
import { listPayments } from './list-payments.ts'
import {
  ledgerStatusOf,
  maxPaymentPage,
  PaymentKind,
  PaymentList,
  PaymentStatusName,
  presentPayment,
} from './payment.schema.ts'

const cursorPattern = /^(\d{4}-\d{2}-\d{2})\.(entry_[0-9a-z]{26})$/

function positionOf(cursor: string) {
  const [, date = '', entryId = ''] = matchCursor(cursor, cursorPattern)
  return { date, entryId }
}

export const listPaymentsRoute = operatorRead({
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
      limit: Type.Optional(
        WholeNumber({
          minimum: 1,
          maximum: maxPaymentPage,
          default: 100,
          description: 'The number of payments to return. Defaults to 100.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'The `nextCursor` of the previous page.' }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: PaymentList,
  errors: ['validation_failed'],
  reads: (services, _caller, { query: { dueBefore, status, customerId, kind, owedAgain, limit = 100, cursor } }) =>
    listPayments(services, {
      dueBefore: dueBefore === undefined ? undefined : isoDate(dueBefore),
      statuses: status === undefined ? undefined : [ledgerStatusOf(status)],
      customerId,
      kind,
      isOwedAgain: owedAgain === 'true',
      after: cursor === undefined ? undefined : positionOf(cursor),
      limit,
    }),
  present: ({ payments, hasMore }) => {
    const last = payments.at(-1)
    return {
      data: payments.map(presentPayment),
      nextCursor: encodeCursor(hasMore && last !== undefined ? `${last.date}.${last.entryId}` : null),
    }
  },
})
