import { maxNamedOverlaps, type OtherTenancy } from '../quoting/quotes/overlaps/overlap.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import { earlySupplyMustBeRequested } from '../quoting/quotes/start-lock.ts'
import type { Customer } from '../quoting/tenants/customer.ts'

/**
 * What to check before the customer accepts the terms. `supply_request_required` is also the code of the error that
 * accept-terms would return;
 * `tenant_already_covered` prevents nothing.
 */
export type OnboardingWarning =
  | { code: 'supply_request_required' }
  | ({ code: 'tenant_already_covered' } & OtherTenancy)

/** The most warnings that a customer can have. */
export const maxOnboardingWarnings = maxNamedOverlaps + 1

/** What to check before the customer accepts the terms as things are; empty once they have. */
export function warningsBeforeAcceptance(
  quote: Quote,
  customer: Pick<Customer, 'supplyDuringCancellation' | 'termsAcceptedAt'>,
  others: readonly OtherTenancy[],
  { policy, now }: { policy: QuotePolicy; now: Date },
): OnboardingWarning[] {
  if (customer.termsAcceptedAt !== null) return []
  const mustAsk = !customer.supplyDuringCancellation && earlySupplyMustBeRequested(quote, policy, now)
  return [
    ...(mustAsk ? [{ code: 'supply_request_required' } as const] : []),
    ...others.map((other) => ({ code: 'tenant_already_covered', ...other }) as const),
  ]
}
