import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { CustomerExportResponse, presentCustomerExport } from './customer-export.schema.ts'
import { eraseCustomer } from './erase-customer.ts'
import { exportCustomer } from './export-customer.ts'
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

export const exportCustomerRoute = route({
  operationId: 'exportCustomer',
  method: 'GET',
  path: '/Customers/{id}/export',
  tag: 'Customers',
  summary: 'Export all data held about a customer',
  description:
    'Use this for access and portability requests (UK GDPR, articles 15 and 20). The export includes the contract documents. It includes Priority Services Register details only if the token also has the scope `psr:read`; otherwise `omitted` says that they are left out. Every export is recorded in the audit log. After an erasure, it contains only the data that is left.',
  idDescription: 'customerId',
  scope: 'customers:export',
  scopeForMore: 'psr:read',
  reply: CustomerExportResponse,
  handle: (deps, { caller, id, scopes }) =>
    exportCustomer(deps, caller, { customerId: id, withPsr: scopes.includes('psr:read') }),
  present: presentCustomerExport,
})
