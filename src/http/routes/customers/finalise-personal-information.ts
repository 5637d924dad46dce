import Type from 'typebox'
import { isUnder18 } from '../../../domain/customers/age.ts'
import { finalisePersonalInformation } from '../../../domain/customers/finalise-personal-information.ts'
import { psrRuleErrors } from '../../../domain/customers/psr.ts'
import type { IsoDate } from '../../../kernel/dates.ts'
import { londonDate } from '../../../kernel/dates.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { route } from '../../route.ts'
import { Choice, RequestObject, ResponseObject } from '../../wire/named.ts'
import { onboardingWarningFields, presentOnboardingWarnings } from '../../wire/onboarding-warnings.ts'
import { inputPersonalFields, readPersonalDetails } from '../../wire/personal-details.ts'
import { PsrDetails, readPsr } from '../../wire/psr.ts'
import { DateOnly, Flag, Id } from '../../wire/values.ts'

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
  handle: (services, { caller, id, body }) =>
    finalisePersonalInformation(services, caller, id, {
      personal: readPersonalDetails(body),
      psr: body.psrDetails === undefined ? null : readPsr(body.psrDetails),
      supplyDuringCancellation: body.supplyDuringCancellation ?? false,
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
