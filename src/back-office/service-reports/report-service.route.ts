import Type from 'typebox'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Text } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { ServiceStatusName } from '../../quoting/packages/service-status.schema.ts'
import { findQuoteOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { reportService } from './report-service.ts'

const Line = (description: string) => Type.String({ minLength: 1, maxLength: 200, format: 'single-line', description })

const Reported = ResponseObject('ReportedService', 'A service of a home, as it was reported.', {
  quoteId: Id('The id of the quote.'),
  serviceId: Id('The id of the service.'),
  status: ServiceStatusName,
  effectiveDate: DateOnly('The day on which the status begins or began.'),
  reason: Nullable(Text(200, 'The reason; null if none was given.')),
  supplierReference: Nullable(Text(200, "The supplier's reference; null if none was given.")),
})

export const reportServiceRoute = partnerRoute({
  method: 'POST',
  operationId: 'reportService',
  path: '/Quotes/{quoteId}/services/{serviceId}/status',
  tag: 'Services',
  summary: 'Report how the supply of a service goes',
  description:
    'Supply belongs to the home, so the report holds for every contract of the household. `pending` becomes `requested`, then `active`, then `ended`. `pending` or `requested` can become `failed`, which can be `requested` again, or `withdrawn`. The same status with another date is a correction. Customers show the status, and partners get `customer.service.changed`.',
  idDescription: 'An id, as the contract feed shows it. Encode the slash that a serviceId may contain as %2F',
  scope: 'contracts:write',
  body: RequestObject('ReportServiceRequest', 'How the supply goes.', {
    status: ServiceStatusName,
    effectiveDate: DateOnly(
      'The day on which the status begins or began. Not before the household agreed, unless an earlier contract of the home covered that day.',
    ),
    reason: Type.Optional(Line('Why, for your records. Must not contain personal data.')),
    supplierReference: Type.Optional(
      Line("The supplier's reference. Leave it out to keep the one you reported before."),
    ),
  }),
  reply: Reported,
  errors: ['validation_failed', 'onboarding_incomplete', 'service_status_not_allowed'],
  owner: (deps, parameter) => findQuoteOwner(deps, parameter('quoteId')),
  handle: (deps, caller, { parameter, body }) => {
    const quoteId = parameter('quoteId')
    if (!isId('quote', quoteId)) throw new Error('the owner of a quote was found by something that is no id')
    const { status, effectiveDate, reason = null, supplierReference } = body
    const effectiveOn = isoDate(effectiveDate)
    const serviceId = parameter('serviceId')
    return reportService(deps, caller, { quoteId, serviceId, status, effectiveOn, reason, supplierReference })
  },
  present: ({ effectiveOn: effectiveDate, ...reported }) => ({ ...reported, effectiveDate }),
})
