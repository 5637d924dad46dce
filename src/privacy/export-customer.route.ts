import { route } from '../platform/http/route.ts'
import { CustomerExportResponse, presentCustomerExport } from './customer-export.schema.ts'
import { exportCustomer } from './export-customer.ts'

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
