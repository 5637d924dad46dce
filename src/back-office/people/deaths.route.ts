import Type from 'typebox'
import type { DeathReport } from '../../contracts/deaths/deaths.store.ts'
import { decideDeath } from '../../contracts/deaths/decide-death.ts'
import { readDeathReports } from '../../contracts/deaths/read-death-reports.ts'
import { auditActors } from '../../platform/audit/audit-entry.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { type Id as IdOf, isId } from '../../platform/kernel/ids.ts'
import { findCustomerOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'

const outcomes = ['confirmed', 'lifted'] as const

const DeathReportObject = ResponseObject('DeathReport', 'What somebody said about the death of a customer.', {
  reportedAt: Timestamp('When it was reported.'),
  reportedBy: Nullable(Choice(auditActors, 'Who reported it.')),
  housemateId: Nullable(Id('The housemate who reported it on their pages; null for anybody else.')),
  relationship: Text(200, 'How they knew the customer.'),
  diedOn: Nullable(DateOnly('The day of death, if it was named.')),
  estate: Nullable(Text(1_000, 'Who deals with the estate.')),
  comment: Nullable(Text(2_000, 'Anything else.')),
  isHeld: Type.Boolean({
    description:
      'Whether it holds e-mails and payments. The report of a housemate about somebody of whom a report was lifted before holds nothing.',
  }),
  signedInAt: Nullable(
    Timestamp(
      "When a code from the customer's e-mails was last entered on their pages since then: somebody reads them. Null if none was.",
    ),
  ),
  dueOn: DateOnly('The day by which you confirm or lift it: ten working days after it was reported.'),
  outcome: Nullable(Choice(outcomes, 'What you decided; null while it is open.')),
  decidedAt: Nullable(Timestamp('When you decided; null while it is open.')),
})

/** The id in the path, once the owner of the customer was found by it. */
export const customerOf = (parameter: (name: string) => string): IdOf<'tenant'> => {
  const customerId = parameter('customerId')
  if (!isId('tenant', customerId)) throw new Error('the owner of a customer was found by something that is no id')
  return customerId
}

const presentReport = ({ reportedAt, signedInAt, decidedAt, ...report }: DeathReport) => ({
  ...report,
  reportedAt: timestamp(reportedAt),
  signedInAt: signedInAt && timestamp(signedInAt),
  decidedAt: decidedAt && timestamp(decidedAt),
})

export const listDeathReportsRoute = partnerRoute({
  operationId: 'listDeathReports',
  path: '/Customers/{customerId}/death-reports',
  tag: 'Customers',
  summary: 'Read what was reported about a death',
  description: 'Returns every report that the customer has died, oldest first. No partner or tenant can read them.',
  idDescription: 'customerId',
  scope: 'support:read',
  reply: ResponseObject('DeathReports', 'The reports about a customer.', {
    customerId: Id('The id of the customer.'),
    reports: Type.Array(DeathReportObject, { maxItems: 10_000, description: 'The reports, oldest first.' }),
  }),
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter }) => readDeathReports(deps, caller, customerOf(parameter)),
  present: ({ customerId, reports }) => ({ customerId, reports: reports.map(presentReport) }),
})

export const decideDeathRoute = partnerRoute({
  operationId: 'decideDeath',
  method: 'POST',
  path: '/Customers/{customerId}/decide-death',
  tag: 'Customers',
  summary: 'Confirm that a customer has died, or lift the report',
  description:
    'Settles every open report about the customer. `lifted`: held e-mails are sent, and what fell due meanwhile is taken ten days later without a late fee. `confirmed`: the contract ends on `lastDay` without any fee or set-up, late fees included. Nothing is taken from the card again and nothing is paid back to it: pay a refund to the estate by bank and report it. Links, sessions and reminders of the customer end. The household is told the day and that their shares stay, not why.',
  idDescription: 'customerId',
  scope: 'support:write',
  body: RequestObject('DecideDeathRequest', 'What you decided.', {
    outcome: Choice(outcomes, 'Whether the report is true.'),
    lastDay: Type.Optional(
      DateOnly(
        'The last day of the contract, with `confirmed`. The reported day of death by default; never after the day on which the contract ends anyway.',
      ),
    ),
  }),
  reply: ResponseObject('DecidedDeath', 'What you decided.', {
    customerId: Id('The id of the customer.'),
    outcome: Choice(outcomes, 'What you decided.'),
    lastDay: Nullable(DateOnly('The last day of the contract; null if none in force was ended.')),
  }),
  errors: ['validation_failed', 'no_death_reported'],
  owner: (deps, parameter) => findCustomerOwner(deps, parameter('customerId')),
  handle: (deps, caller, { parameter, body: { outcome, lastDay } }) =>
    decideDeath(deps, caller, customerOf(parameter), {
      outcome,
      lastDay: lastDay === undefined ? undefined : isoDate(lastDay),
    }),
  present: (decided) => decided,
})
