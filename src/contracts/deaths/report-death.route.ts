import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { reportDeath } from './report-death.ts'

const Words = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

export const reportDeathRoute = route({
  operationId: 'reportDeath',
  method: 'POST',
  path: '/Customers/{id}/report-death',
  tag: 'Customers',
  summary: 'Report that a customer has died',
  description:
    'Holds all e-mails to the customer and all payments at once, and tells nobody but the operator, who confirms the report or lifts it within ten working days. Only the operator sees who reported what. If the report is lifted, the e-mails are sent, and what fell due meanwhile is taken ten days later without a late fee.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('ReportDeathRequest', 'What is known. All texts are stored encrypted.', {
    relationship: Words(200, 'Who told you, and how they knew the customer.'),
    diedOn: Type.Optional(DateOnly('The day of death, if it is known; never in the future.')),
    estate: Type.Optional(Words(1_000, 'Who deals with the estate, and how to reach them.')),
    comment: Type.Optional(Words(2_000, 'Anything else.')),
  }),
  reply: ResponseObject('ReportedDeath', 'A report that was received.', {
    customerId: Id('The id of the customer.'),
    reportedAt: Timestamp('When it was received.'),
  }),
  errors: ['validation_failed'],
  handle: (deps, { caller, id, body: { diedOn, ...said } }) =>
    reportDeath(deps, caller, id, { ...said, diedOn: diedOn === undefined ? null : isoDate(diedOn) }),
  present: ({ customerId, reportedAt }) => ({ customerId, reportedAt: timestamp(reportedAt) }),
})
