import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import {
  furtherReadingFields,
  MeterReadingObject,
  maxMeterReadings,
  presentMeterReading,
  readingFields,
} from './meter-reading.schema.ts'
import { listMeterReadings, reportMeterReading } from './meter-readings.ts'

export const reportMeterReadingRoute = route({
  operationId: 'reportMeterReading',
  method: 'POST',
  path: '/Customers/{id}/meter-readings',
  tag: 'Customers',
  summary: 'Report a meter reading',
  description:
    'Read the meters on the day of moving in and on the last day of the contract. Days from moving in to a week after the last day are possible. A later reading of the same meter, register and day replaces the earlier one. Readings go to the operator with the supply of the home. They change no price.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('ReportMeterReadingRequest', 'Which meter showed what.', {
    ...readingFields,
    ...furtherReadingFields,
  }),
  reply: ResponseObject('ReportedMeterReading', 'A meter reading that was reported.', {
    customerId: Id('The id of the customer.'),
    ...MeterReadingObject.properties,
  }),
  errors: ['validation_failed', 'contract_not_in_force', 'customer_erased'],
  handle: (deps, { caller, id, body }) =>
    reportMeterReading(deps, caller, id, { ...body, readOn: isoDate(body.readOn) }),
  present: ({ customerId, meterReading }) => ({ customerId, ...presentMeterReading(meterReading) }),
})

export const listMeterReadingsRoute = route({
  operationId: 'listMeterReadings',
  method: 'GET',
  path: '/Customers/{id}/meter-readings',
  tag: 'Customers',
  summary: 'List meter readings',
  description:
    'Returns the readings of the home from the day on which the customer moved in to a week after their last day, whoever of the household reported them. Empty before the contract takes effect.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('MeterReadings', 'The meter readings of a customer.', {
    customerId: Id('The id of the customer.'),
    meterReadings: Type.Array(MeterReadingObject, { maxItems: maxMeterReadings, description: 'The readings, by day.' }),
  }),
  handle: (deps, { caller, id }) => listMeterReadings(deps, caller, id),
  present: ({ customerId, meterReadings }) => ({ customerId, meterReadings: meterReadings.map(presentMeterReading) }),
})
