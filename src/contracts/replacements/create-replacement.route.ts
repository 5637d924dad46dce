import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { newTenantFields, permissionErrors } from '../../quoting/tenants/personal-details.schema.ts'
import { createReplacement, withdrawReplacement } from './create-replacement.ts'

export const createReplacementRoute = route({
  operationId: 'createReplacement',
  method: 'POST',
  path: '/Customers/{id}/replacements',
  tag: 'Customers',
  summary: 'Replace a housemate',
  description:
    "Adds a tenant who takes over the rest of this customer's share, at the agreed rates, under a contract of their own. Take the tenant through the usual steps: personal details, payment schedule, card and terms. Until they accept, this customer stays liable; when they accept, this customer's contract ends the day before, without an exit fee. If they accept on `from` or later, they join the day after.",
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('CreateReplacementRequest', 'The tenant who takes over, and when.', {
    ...newTenantFields,
    from: DateOnly(
      'The first day of the tenant who takes over: tomorrow at the earliest, from the first to before the last day of the contract.',
    ),
  }),
  refine: (body, { now }) => permissionErrors(body, '', now),
  reply: ResponseObject('Replacement', 'A tenant who is to take over a share.', {
    customerId: Id('The id of the tenant who takes over.'),
    quoteId: Id('The id of the quote.'),
    replaces: Id('The id of the tenant who leaves.'),
    from: DateOnly('The first day of the tenant who takes over, if they accept before it.'),
  }),
  errors: ['validation_failed', 'replacement_not_possible', 'replacement_open', 'duplicate_tenant'],
  handle: (deps, { caller, id, body }) => createReplacement(deps, caller, id, { ...body, from: body.from as IsoDate }),
  present: (replacement) => replacement,
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
