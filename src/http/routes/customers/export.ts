import { exportCustomer } from '../../../domain/privacy/export-customer.ts'
import { route } from '../../route.ts'
import { CustomerExportReply, presentCustomerExport } from '../../wire/customer-export.ts'

export const exportCustomerRoute = route({
  operationId: 'exportCustomer',
  method: 'GET',
  path: '/Customers/{id}/export',
  tag: 'Customers',
  summary: 'Read everything held about a customer',
  description:
    'For a request of access or portability (UK GDPR, articles 15 and 20). It includes needs on the Priority Services Register and the contract documents; the audit log keeps who read it. After an erasure it shows what is left.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: CustomerExportReply,
  handle: (services, { caller, id }) => exportCustomer(services, caller, id),
  present: presentCustomerExport,
})
