import { exportCustomer } from '../../../domain/privacy/export-customer.ts'
import { route } from '../../route.ts'
import { CustomerExportReply, presentCustomerExport } from '../../wire/customer-export.ts'

export const exportCustomerRoute = route({
  operationId: 'exportCustomer',
  method: 'GET',
  path: '/Customers/{id}/export',
  tag: 'Customers',
  summary: 'Export all data held about a customer',
  description:
    'Use this for access and portability requests (UK GDPR, articles 15 and 20). The export includes Priority Services Register details and the contract documents. Every export is recorded in the audit log. After an erasure, it contains only the data that is left.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: CustomerExportReply,
  handle: (services, { caller, id }) => exportCustomer(services, caller, id),
  present: presentCustomerExport,
})
