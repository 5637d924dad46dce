import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { GivenId, Id } from '../platform/http/schemas/values.ts'
import { ServiceStatusName } from '../quoting/packages/service-status.schema.ts'
import { setServiceStatus } from './set-service-status.ts'

export const setServiceStatusRoute = route({
  operationId: 'sandboxSetServiceStatus',
  method: 'POST',
  path: '/Sandbox/quotes/{id}/service-status',
  tag: 'Sandbox',
  summary: "Set a service's status on the operator's behalf",
  description:
    'Reports how far the supply of a service has come. It holds for every tenant whose contract is in force, and each of them has a `customer.service.changed`. The same status again changes nothing.',
  idDescription: 'quoteId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SetServiceStatusRequest', 'The service and its new status.', {
    serviceId: GivenId('The id of the service, as `GET /Customers/{id}` shows it.'),
    status: ServiceStatusName,
  }),
  reply: ResponseObject('ServiceStatusOfQuote', 'The status of a service of a quote.', {
    quoteId: Id('The id of the quote.'),
    serviceId: Id('The id of the service.'),
    status: ServiceStatusName,
  }),
  errors: ['validation_failed', 'onboarding_incomplete'],
  handle: (deps, { caller, id, body }) => setServiceStatus(deps, caller, { ...body, quoteId: id }),
  present: (set) => set,
})
