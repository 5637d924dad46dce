import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { described, RequestObject } from '../platform/http/schemas/named.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { MetadataObject } from '../quoting/quotes/metadata.schema.ts'
import { inputPersonalFields, readPersonalDetails } from '../quoting/tenants/personal-details.schema.ts'
import { psrRuleErrors } from '../quoting/tenants/psr.ts'
import { CustomerObject, presentCustomer } from './customer.schema.ts'
import { PsrDetails, readPsr } from './psr.schema.ts'
import { updateCustomer } from './update-customer.ts'

/** Only the operator corrects a date of birth: see src/back-office/contract-feed/correct-contract.ts. */
const { dateOfBirth: _, ...changeable } = inputPersonalFields

export const updateCustomerRoute = route({
  operationId: 'updateCustomer',
  method: 'PATCH',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: "Change a customer's name, contact details, PSR details or metadata",
  description:
    'Possible at any time, also after the terms are accepted. Fields you leave out keep their values. Contract documents that exist do not change. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject(
    'UpdateCustomerRequest',
    'What to change.',
    {
      ...Type.Partial(Type.Object(changeable)).properties,
      psrDetails: Type.Optional(
        described(PsrDetails, 'Replaces the Priority Services Register details. `{"hasPsr": false}` withdraws them.'),
      ),
      metadata: Type.Optional(described(MetadataObject, 'Replaces all your keys and values. `{}` removes them.')),
    },
    { minProperties: 1 },
  ),
  refine: (body, { now }, { psrCategories }) =>
    psrRuleErrors((body as { psrDetails?: unknown } | null)?.psrDetails, psrCategories, londonDate(now)),
  reply: CustomerObject,
  errors: ['validation_failed', 'psr_contact_required', 'duplicate_tenant', 'customer_erased', 'customer_removed'],
  handle: (deps, { caller, id, body }) =>
    updateCustomer(deps, caller, id, {
      personal: readPersonalDetails(body),
      psr: body.psrDetails === undefined ? undefined : readPsr(body.psrDetails),
    }),
  present: presentCustomer,
})
