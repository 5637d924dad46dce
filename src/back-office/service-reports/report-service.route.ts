import Type from 'typebox'
import { GivenMeterSerial, MeterSerial } from '../../contracts/meter-readings/meter-reading.schema.ts'
import { meterSerial } from '../../contracts/meter-readings/meter-reading.ts'
import { SupplyReasonName } from '../../contracts/supply/supply-report.schema.ts'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Flag, Id, Text } from '../../platform/http/schemas/values.ts'
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
  reason: Nullable(SupplyReasonName),
  comment: Nullable(Text(200, 'What you noted; null if nothing.')),
  supplierReference: Nullable(Text(200, "The supplier's reference; null if none was given.")),
  expectedOn: Nullable(DateOnly('The day on which supply is now expected to begin; null if none was given.')),
  newOccupierFrom: Nullable(DateOnly('From when the supplier has another occupier; null if it does not say so.')),
  meterSerial: Nullable(MeterSerial("The serial number of the supplier's meter; null if none was given.")),
  answeredOn: Nullable(DateOnly('When the supplier first answered about an erroneous transfer; null until then.')),
})

export const reportServiceRoute = partnerRoute({
  method: 'POST',
  operationId: 'reportService',
  path: '/Quotes/{quoteId}/services/{serviceId}/status',
  tag: 'Services',
  summary: 'Report how the supply of a service goes',
  description:
    'Supply belongs to the home, so the report holds for every contract of the household. `pending` becomes `requested`, then `active`, then `ended`. `pending` or `requested` can become `failed`, which can be `requested` again, or `withdrawn`. A report that was a mistake can be replaced by any other with `replacesLatest`. Customers show the status, and partners get `customer.service.changed`.',
  idDescription: 'An id, as the contract feed shows it. Encode the slash that a serviceId may contain as %2F',
  scope: 'contracts:write',
  body: RequestObject('ReportServiceRequest', 'How the supply goes.', {
    status: ServiceStatusName,
    effectiveDate: DateOnly(
      'The day on which the status begins or began; with a `reason`, the day on which you were told of it. Not before the household agreed, unless an earlier contract of the home covered that day.',
    ),
    reason: Type.Optional(SupplyReasonName),
    comment: Type.Optional(Line('What you note. Must not contain personal data.')),
    supplierReference: Type.Optional(
      Line("The supplier's reference. Leave it out to keep the one you reported before."),
    ),
    expectedOn: Type.Optional(DateOnly('The day on which a supply that is `requested` is now expected to begin.')),
    newOccupierFrom: Type.Optional(
      DateOnly(
        'From when the supplier has somebody else as the occupier of the home. Leave it out to keep the day you reported before.',
      ),
    ),
    meterSerial: Type.Optional(
      GivenMeterSerial(
        'The serial number of the meter that the supplier has for the home. Leave it out to keep the one you reported before.',
      ),
    ),
    answeredOn: Type.Optional(DateOnly('The day on which the supplier first answered about an erroneous transfer.')),
    replacesLatest: Type.Optional(
      Flag(
        'Whether your latest report was a mistake. Then this one can have any status, and nothing of the other stays.',
      ),
    ),
  }),
  reply: Reported,
  errors: ['validation_failed', 'onboarding_incomplete', 'service_status_not_allowed'],
  owner: (deps, parameter) => findQuoteOwner(deps, parameter('quoteId')),
  handle: (deps, caller, { parameter, body }) => {
    const quoteId = parameter('quoteId')
    if (!isId('quote', quoteId)) throw new Error('the owner of a quote was found by something that is no id')
    const { effectiveDate, replacesLatest = false, meterSerial: serial, newOccupierFrom: from, ...given } = body
    const { status, reason = null, comment = null, supplierReference } = given
    const dayOf = (day: string | undefined) => (day === undefined ? undefined : isoDate(day))
    return reportService(deps, caller, {
      ...{ quoteId, serviceId: parameter('serviceId'), status, effectiveOn: isoDate(effectiveDate), replacesLatest },
      ...{ reason, comment, supplierReference, newOccupierFrom: dayOf(from) },
      ...{ expectedOn: dayOf(given.expectedOn) ?? null, answeredOn: dayOf(given.answeredOn) ?? null },
      meterSerial: serial === undefined ? undefined : meterSerial(serial),
    })
  },
  present: ({ effectiveOn: effectiveDate, ...reported }) => ({ ...reported, effectiveDate }),
})
