import Type from 'typebox'
import { eraseCustomer } from '../../../domain/privacy/erase-customer.ts'
import { keptByLaw } from '../../../domain/privacy/retention.ts'
import { route } from '../../route.ts'
import { DateOnly, Id, Timestamp, timestamp } from '../../wire/values.ts'

export const eraseCustomerRoute = route({
  operationId: 'eraseCustomer',
  method: 'POST',
  path: '/Customers/{id}/erase',
  tag: 'Customers',
  summary: "Erase a customer's data",
  description:
    'Not while their contract runs. There is no way back. Answers show the name "Erased" from then on; the quote keeps its sums. Of a contract that has ended, what the law needs stays until `retainedUntil`. The payment processor is asked to delete the customer and their card within minutes. Repeating it answers the same moment.',
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: Type.Object(
    {
      customerId: Id(),
      erasedAt: Timestamp,
      retainedUntil: Type.Union([DateOnly, Type.Null()], { description: 'null where nothing is kept' }),
      retained: Type.Array(Type.Enum([...keptByLaw]), { maxItems: keptByLaw.length }),
    },
    { additionalProperties: false },
  ),
  errors: ['contract_running'],
  handle: (services, { caller, id }) => eraseCustomer(services, caller, id),
  present: ({ customerId, erasedAt, retainedUntil }) => ({
    customerId,
    erasedAt: timestamp(erasedAt),
    retainedUntil,
    retained: retainedUntil === null ? [] : [...keptByLaw],
  }),
})
