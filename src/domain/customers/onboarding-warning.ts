import { mustAskForSupply } from '../quotes/locks/start-lock.ts'
import type { Quote } from '../quotes/quote.ts'
import type { QuotePolicy } from '../quotes/quote-policy.ts'
import type { Customer } from './customer.ts'

/** What steps before accept-terms warn of. Each is also the code of the error that accept-terms would return. */
export const onboardingWarnings = ['supply_request_required'] as const
export type OnboardingWarning = (typeof onboardingWarnings)[number]

/** What will prevent the customer from accepting the terms as things are. */
export function warningsBeforeAcceptance(
  quote: Quote,
  customer: Pick<Customer, 'supplyDuringCancellation' | 'termsAcceptedAt'>,
  policy: QuotePolicy,
  now: Date,
): OnboardingWarning[] {
  if (customer.termsAcceptedAt !== null || customer.supplyDuringCancellation) return []
  return mustAskForSupply(quote, policy, now) ? ['supply_request_required'] : []
}
