import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Flag, Id } from '../platform/http/schemas/values.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { isUnder18 } from '../quoting/tenants/customer.ts'
import { inputPersonalFields, readPersonalDetails } from '../quoting/tenants/personal-details.schema.ts'
import { psrRuleErrors } from '../quoting/tenants/psr.ts'
import { finalisePersonalInformation } from './finalise-personal-information.ts'
import { onboardingWarningFields, presentOnboardingWarnings } from './onboarding-warnings.schema.ts'
import { PsrDetails, readPsr } from './psr.schema.ts'

const PersonalInformationRequest = RequestObject('PersonalInformationRequest', "A customer's personal information.", {
  ...inputPersonalFields,
  psrDetails: Type.Optional(PsrDetails),
  contractStartDate: Type.Optional(DateOnly('The first day of the contract. Only for the lead tenant.')),
  contractEndDate: Type.Optional(DateOnly('The last day of the contract. Only for the lead tenant.')),
  supplyDuringCancellation: Type.Optional(
    Flag("Records the customer's express request to start supply within the 14-day cancellation period."),
  ),
})

function ageErrors(body: unknown, today: IsoDate): FieldError[] {
  const dateOfBirth = (body as { dateOfBirth?: unknown } | null)?.dateOfBirth
  if (typeof dateOfBirth !== 'string' || !isUnder18(dateOfBirth, today)) return []
  return [
    {
      pointer: '/dateOfBirth',
      code: 'customer_under_18',
      detail: 'The customer must have reached their 18th birthday. Check the date of birth.',
    },
  ]
}

export const finalisePersonalInformationRoute = route({
  operationId: 'finalisePersonalInformation',
  method: 'POST',
  path: '/Customers/{id}/finalise-personal-information',
  tag: 'Customers',
  summary: "Submit a customer's personal information",
  description:
    'Required for every tenant, including tenants without Priority Services Register needs. You can submit again until the terms are accepted; each submission replaces the previous one. For the lead tenant, you can also send contract dates if the quote was created without them.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: PersonalInformationRequest,
  refine: (body, { now }, { psrCategories }) => [
    ...ageErrors(body, londonDate(now)),
    ...psrRuleErrors((body as { psrDetails?: unknown } | null)?.psrDetails, psrCategories, londonDate(now)),
  ],
  reply: ResponseObject('FinalisedPersonalInformation', 'A customer with personal information.', {
    customerId: Id('The id of the customer.'),
    status: Choice(['PersonalInfoComplete'], 'Always `PersonalInfoComplete`.'),
    personalInfoComplete: Flag('Always true.'),
    ...onboardingWarningFields,
  }),
  errors: [
    'validation_failed',
    'customer_under_18',
    'psr_contact_required',
    'duplicate_tenant',
    'already_onboarded',
    'customer_erased',
    'customer_removed',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (deps, { caller, id, body }) =>
    finalisePersonalInformation(deps, caller, id, {
      personal: readPersonalDetails(body),
      psr: body.psrDetails === undefined ? null : readPsr(body.psrDetails),
      earlySupplyRequested: body.supplyDuringCancellation ?? false,
      contractStartDate: body.contractStartDate as IsoDate | undefined,
      contractEndDate: body.contractEndDate as IsoDate | undefined,
    }),
  present: ({ customer: { customerId }, warnings }) => ({
    customerId,
    status: 'PersonalInfoComplete' as const,
    personalInfoComplete: true,
    ...presentOnboardingWarnings(warnings),
  }),
})
