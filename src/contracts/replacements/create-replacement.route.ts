import Type, { type Static } from 'typebox'
import { Payment } from '../../payments/payment.schema.ts'
import { route } from '../../platform/http/route.ts'
import { described, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { newTenantFields, permissionErrors } from '../../quoting/tenants/personal-details.schema.ts'
import { dryRunQuery, EndedContractObject, presentEndedContract } from '../ended-contract.schema.ts'
import { createReplacement, type Replacement, withdrawReplacement } from './create-replacement.ts'

const Joiner = ResponseObject('ReplacementJoiner', 'What the tenant who takes over would agree to today.', {
  startsOn: DateOnly('The first day of their contract.'),
  endsOn: DateOnly('The last day of their contract.'),
  monthlyCost: Pence('Their share of an average month in pence, including VAT and without set-up.'),
  setupCost: Pence('Their share of the one-off set-up charges in pence, including VAT.'),
  totalCost: Pence('What they pay for the rest of the term in pence, including set-up and VAT.'),
  payments: Type.Array(Payment, { maxItems: 100, description: 'Their payments, which add up to `totalCost`.' }),
})

const ReplacementObject = ResponseObject('Replacement', 'A tenant who is to take over a share.', {
  customerId: Nullable(Id('The id of the tenant who takes over; null with `dryRun=true`.')),
  quoteId: Id('The id of the quote.'),
  replaces: Id('The id of the tenant who leaves.'),
  from: DateOnly('The first day of the tenant who takes over, if they accept before it.'),
  leaver: described(
    EndedContractObject,
    'How the contract of the tenant who leaves would end, and what they would owe, if the other accepted today.',
  ),
  joiner: Joiner,
})

function presentReplacement({ figures, ...replacement }: Replacement): Static<typeof ReplacementObject> {
  const { startsOn, endsOn, share, plan } = figures.joiner
  const { monthlyCost, setupCost, totalCost } = share
  const payments = plan.map((payment) => ({ ...payment, status: 'planned' as const }))
  return {
    ...replacement,
    leaver: presentEndedContract(figures.leaver),
    joiner: { startsOn, endsOn, monthlyCost, setupCost, totalCost, payments },
  }
}

export const createReplacementRoute = route({
  operationId: 'createReplacement',
  method: 'POST',
  path: '/Customers/{id}/replacements',
  tag: 'Customers',
  summary: 'Replace a housemate',
  description:
    "Adds a tenant who takes over the rest of this customer's share, at the agreed rates, under a contract of their own. Take the tenant through the usual steps: personal details, payment schedule, card and terms. Until they accept, this customer stays liable; when they accept, this customer's contract ends the day before, without an exit fee. If they accept on `from` or later, they join the day after. Send `dryRun=true` first: the response shows what each of the two would pay, and nothing changes.",
  idDescription: 'customerId',
  scope: 'customers:write',
  query: dryRunQuery,
  body: RequestObject('CreateReplacementRequest', 'The tenant who takes over, and when.', {
    ...newTenantFields,
    from: DateOnly(
      'The first day of the tenant who takes over: tomorrow at the earliest, from the first to before the last day of the contract.',
    ),
  }),
  refine: (body, { now }) => permissionErrors(body, '', now),
  reply: ReplacementObject,
  errors: ['validation_failed', 'replacement_not_possible', 'replacement_open', 'duplicate_tenant'],
  handle: (deps, { caller, id, query, body }) =>
    createReplacement(deps, caller, id, {
      ...body,
      from: body.from as IsoDate,
      dryRun: query.dryRun === 'true',
    }),
  present: presentReplacement,
})

export const withdrawReplacementRoute = route({
  operationId: 'withdrawReplacement',
  method: 'POST',
  path: '/Customers/{id}/withdraw-replacement',
  tag: 'Customers',
  summary: 'Withdraw a replacement that is not accepted',
  description:
    "Removes the tenant who was to take over this customer's share, with their data. Possible until they accept; then they can cancel their own contract. This customer's contract goes on as agreed.",
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('WithdrawnReplacement', 'A replacement that was withdrawn.', {
    customerId: Id('The id of the customer, whose contract goes on.'),
    withdrawn: Id('The id of the tenant who was removed.'),
  }),
  errors: ['replacement_not_possible'],
  handle: (deps, { caller, id }) => withdrawReplacement(deps, caller, id),
  present: (withdrawn) => withdrawn,
})
