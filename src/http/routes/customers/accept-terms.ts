import Type from 'typebox'
import { acceptTerms } from '../../../domain/customers/accept-terms.ts'
import { route } from '../../route.ts'
import { Id, Timestamp, timestamp } from '../../wire/values.ts'

const AcceptTermsBody = Type.Object(
  {
    tenantIp: Type.Optional(Type.String({ format: 'ip', maxLength: 64, description: "The tenant's IP address." })),
    tenantUserAgent: Type.Optional(Type.String({ maxLength: 1_000 })),
  },
  { additionalProperties: false },
)

export const acceptTermsRoute = route({
  operationId: 'acceptTerms',
  method: 'POST',
  path: '/Customers/{id}/accept-terms',
  tag: 'Customers',
  summary: 'Accept the terms and complete onboarding',
  description:
    'Requires a setup intent that succeeded. Creates the contract documents. Calling again returns the same `termsAcceptedAt`. The optional body records evidence of the acceptance.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: AcceptTermsBody,
  bodyIsOptional: true,
  reply: Type.Object(
    {
      customerId: Id(),
      status: Type.Enum(['OnboardingComplete']),
      onboardingComplete: Type.Boolean(),
      termsAcceptedAt: Timestamp,
    },
    { additionalProperties: false },
  ),
  errors: [
    'validation_failed',
    'quote_cancelled',
    'payment_setup_incomplete',
    'customer_erased',
    'service_unavailable',
  ],
  handle: (services, { caller, id, body }) => acceptTerms(services, caller, { customerId: id, evidence: body ?? {} }),
  present: ({ customerId, termsAcceptedAt }) => ({
    customerId,
    status: 'OnboardingComplete' as const,
    onboardingComplete: true,
    termsAcceptedAt: timestamp(termsAcceptedAt),
  }),
})
