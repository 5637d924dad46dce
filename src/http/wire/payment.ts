import Type from 'typebox'
import { DateOnly, Pence, Text } from './values.ts'

/** One payment of a schedule. */
export const Payment = Type.Object(
  {
    date: Type.String({ format: 'date', maxLength: 10, description: 'The working day on which the payment is taken.' }),
    amount: Pence,
    kind: Type.Enum(['first', 'monthly', 'last']),
    periodStart: DateOnly,
    periodEnd: DateOnly,
    description: Text(500),
  },
  { additionalProperties: false },
)
