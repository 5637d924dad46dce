import Type from 'typebox'
import { encodeCursor, matchCursor } from '../../platform/http/schemas/page.ts'
import { WholeNumber } from '../../platform/http/schemas/values.ts'
import { operatorRead } from '../http/operator-route.ts'
import { listUnmatched } from './list-payments.ts'
import { maxPaymentPage, presentUnmatched, UnmatchedList } from './payment.schema.ts'

export const listUnmatchedPaymentsRoute = operatorRead({
  operationId: 'listUnmatchedPayments',
  path: '/Payments/unmatched',
  tag: 'Payments',
  summary: 'List payments that belong to nothing',
  description:
    'Returns money that moved at the processor and could not be matched: the payment named no entry that is owed, and no entry has its id or its amount. Settle each by hand.',
  scope: 'payments:read',
  query: Type.Object(
    {
      limit: Type.Optional(
        WholeNumber({
          minimum: 1,
          maximum: maxPaymentPage,
          default: 100,
          description: 'The number of payments to return. Defaults to 100.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 400, description: 'The `nextCursor` of the previous page.' }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: UnmatchedList,
  errors: ['validation_failed'],
  reads: (services, _caller, { query: { limit = 100, cursor } }) =>
    listUnmatched(services, { after: cursor && matchCursor(cursor, /^report (.+)$/)[1], limit }),
  present: ({ payments, hasMore }) => {
    const last = payments.at(-1)
    return {
      data: payments.map(presentUnmatched),
      nextCursor: encodeCursor(hasMore && last !== undefined ? `report ${last.reportId}` : null),
    }
  },
})
