import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { eraseCustomer } from './erase-customer.ts'
import { retainedByLaw } from './retention.ts'

export const eraseCustomerRoute = route({
  operationId: 'eraseCustomer',
  method: 'POST',
  path: '/Customers/{id}/erase',
  tag: 'Customers',
  summary: "Erase a customer's data",
  description: `Erasure is permanent and is not possible while the customer's contract is running. Afterwards, responses show the name "Erased"; the quote keeps its amounts. For a contract that has ended, the data required by law is kept until \`retainedUntil\`. Within minutes, Housebill asks the payment processor to delete the customer and their card. Calling again returns the time of the first erasure.`,
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('ErasedCustomer', 'A customer whose data was erased.', {
    customerId: Id('The id of the customer.'),
    erasedAt: Timestamp('When the data was erased.'),
    retainedUntil: Nullable(DateOnly('When the data kept by law is deleted; null if nothing is kept.')),
    retained: Type.Array(Choice(retainedByLaw, 'A kind of data.'), {
      maxItems: retainedByLaw.length,
      description: 'What the law requires to be kept; empty if nothing is kept.',
    }),
  }),
  errors: ['contract_running'],
  handle: (deps, { caller, id }) => eraseCustomer(deps, caller, id),
  present: ({ customerId, erasedAt, retainedUntil }) => ({
    customerId,
    erasedAt: timestamp(erasedAt),
    retainedUntil,
    retained: retainedUntil === null ? [] : [...retainedByLaw],
  }),
})
