import Type, { type Static } from 'typebox'
import { NamedChoice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, Text } from '../platform/http/schemas/values.ts'
import { hasUnusualDomain } from '../platform/kernel/email.ts'
import { maxNamedOverlaps, type OtherTenancy } from '../quoting/quotes/overlaps/overlap.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { earlySupplyMustBeRequested } from '../quoting/quotes/quote.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import type { Customer } from '../quoting/tenants/customer.ts'

/**
 * What to check before the customer accepts the terms. `supply_request_required` is also the code of the error that
 * accept-terms would return;
 * the others prevent nothing.
 */
export type OnboardingWarning =
  | { code: 'supply_request_required' }
  | { code: 'email_domain_unusual' }
  | ({ code: 'tenant_already_covered' } & OtherTenancy)

/** The most warnings that a customer can have. */
const maxOnboardingWarnings = maxNamedOverlaps + 2

/** What to check before the customer accepts the terms as things are; empty once they have. */
export function warningsBeforeAcceptance(
  quote: Quote,
  customer: Pick<Customer, 'earlySupplyRequested' | 'termsAcceptedAt' | 'personal'>,
  others: readonly OtherTenancy[],
  { policy, now }: { policy: QuotePolicy; now: Date },
): OnboardingWarning[] {
  if (customer.termsAcceptedAt !== null) return []
  const mustAsk = !customer.earlySupplyRequested && earlySupplyMustBeRequested(quote, policy, now)
  return [
    ...(mustAsk ? [{ code: 'supply_request_required' } as const] : []),
    ...(hasUnusualDomain(customer.personal.email) ? [{ code: 'email_domain_unusual' } as const] : []),
    ...others.map((other) => ({ code: 'tenant_already_covered', ...other }) as const),
  ]
}

const codes = [
  'supply_request_required',
  'email_domain_unusual',
  'tenant_already_covered',
] as const satisfies readonly OnboardingWarning['code'][]

const WarningCode = NamedChoice(
  'OnboardingWarning',
  codes,
  'What to check before the customer accepts the terms. `supply_request_required`: supply would begin within the cancellation period, so accept-terms would be rejected; send `supplyDuringCancellation: true` if the tenant asks for it, or choose a later start. `email_domain_unusual`: the domain of the e-mail address looks misspelt, such as `gmail.con`; correct the address, or leave it if it is right. `tenant_already_covered`: the e-mail address is that of a tenant of another of your quotes on some of the same days; nothing is rejected.',
)

const OnboardingWarningDetail = ResponseObject('OnboardingWarningDetail', 'A warning, and what it is about.', {
  code: WarningCode,
  detail: Text(1_000, 'What was found and what to do, for a developer to read.'),
  quoteId: Nullable(Id('Your other quote; null if the warning is about something else.')),
  customerId: Nullable(
    Id('The tenant of your other quote who has the same e-mail address; null if the warning is about something else.'),
  ),
})

export const onboardingWarningFields = {
  warnings: Type.Array(WarningCode, {
    maxItems: codes.length,
    description: 'What to check before the customer accepts the terms, each code once; empty if there is nothing.',
  }),
  warningDetails: Type.Array(OnboardingWarningDetail, {
    maxItems: maxOnboardingWarnings,
    description: 'The same warnings with what each is about: one entry for each tenant of another quote.',
  }),
}

const WarningFields = Type.Object(onboardingWarningFields)

export function presentOnboardingWarnings(warnings: readonly OnboardingWarning[]): Static<typeof WarningFields> {
  return {
    warnings: codes.filter((code) => warnings.some((warning) => warning.code === code)),
    warningDetails: warnings.map((warning) => ({
      code: warning.code,
      detail: explain(warning),
      quoteId: 'quoteId' in warning ? warning.quoteId : null,
      customerId: 'customerId' in warning ? warning.customerId : null,
    })),
  }
}

function explain(warning: OnboardingWarning): string {
  switch (warning.code) {
    case 'supply_request_required':
      return 'Supply would begin within the cancellation period, so accept-terms would be rejected. Send supplyDuringCancellation: true with finalise-personal-information if the tenant asks for it, or choose a later start.'
    case 'email_domain_unusual':
      return 'The domain of the e-mail address looks misspelt. Ask the tenant, and send the right address with finalise-personal-information; if it is right, there is nothing to do.'
    case 'tenant_already_covered':
      return `The customer ${warning.customerId} of your quote ${warning.quoteId} has the same e-mail address, and their contract covers some of the same days. Check that this person needs both, or cancel the quote or contract that is not needed.`
  }
}
