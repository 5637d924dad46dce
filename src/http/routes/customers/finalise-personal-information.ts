import Type from 'typebox'
import { isUnder18 } from '../../../domain/customers/age.ts'
import { finalisePersonalInformation } from '../../../domain/customers/finalise-personal-information.ts'
import { toE164 } from '../../../domain/customers/phone.ts'
import { psrRuleBreaches } from '../../../domain/customers/psr.ts'
import type { IsoDate } from '../../../kernel/dates.ts'
import { londonDate } from '../../../kernel/dates.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { route } from '../../route.ts'
import { PsrDetails, readPsr } from '../../wire/psr.ts'
import { DateOnly, Email, Id, Name, Phone } from '../../wire/values.ts'

const PersonalInformationBody = Type.Object(
  {
    firstName: Name('first name'),
    lastName: Name('last name'),
    email: Email,
    phone: Phone,
    dateOfBirth: Type.String({
      format: 'date',
      maxLength: 10,
      description: 'YYYY-MM-DD; the 18th birthday must have been reached',
    }),
    psrDetails: Type.Optional(PsrDetails),
    contractStartDate: Type.Optional(DateOnly),
    contractEndDate: Type.Optional(DateOnly),
    supplyDuringCancellation: Type.Optional(
      Type.Boolean({ description: 'the express request to start within the 14 days of cancellation' }),
    ),
  },
  { additionalProperties: false },
)

function ageBreaches(body: unknown, today: IsoDate): FieldError[] {
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
    'For every tenant, also without Priority Services Register needs. May be repeated until the terms are accepted and replaces what was there. Contract dates may be sent for the lead tenant where the quote was made without them.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: PersonalInformationBody,
  refine: (body, { now }, { psrCategories }) => [
    ...ageBreaches(body, londonDate(now)),
    ...psrRuleBreaches((body as { psrDetails?: unknown } | null)?.psrDetails, psrCategories, londonDate(now)),
  ],
  reply: Type.Object(
    { customerId: Id(), status: Type.Enum(['PersonalInfoComplete']), personalInfoComplete: Type.Boolean() },
    { additionalProperties: false },
  ),
  errors: [
    'validation_failed',
    'customer_under_18',
    'psr_contact_required',
    'duplicate_tenant',
    'already_onboarded',
    'customer_erased',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (services, { caller, id, body }) =>
    finalisePersonalInformation(services, caller, id, {
      personal: {
        firstName: body.firstName.trim(),
        lastName: body.lastName.trim(),
        email: body.email,
        phone: toE164(body.phone),
        dateOfBirth: body.dateOfBirth,
      },
      psr: body.psrDetails === undefined ? null : readPsr(body.psrDetails),
      supplyDuringCancellation: body.supplyDuringCancellation ?? false,
      contractStartDate: body.contractStartDate as IsoDate | undefined,
      contractEndDate: body.contractEndDate as IsoDate | undefined,
    }),
  present: ({ customerId }) => ({ customerId, status: 'PersonalInfoComplete' as const, personalInfoComplete: true }),
})
