import Type from 'typebox'
import { onboardingWarnings } from '../../domain/customers/onboarding-warning.ts'
import { NamedChoice } from './named.ts'

const OnboardingWarning = NamedChoice(
  'OnboardingWarning',
  onboardingWarnings,
  'What will prevent the customer from accepting the terms. `supply_request_required`: supply would begin within the cancellation period, so send `supplyDuringCancellation: true` if the tenant asks for it, or choose a later start.',
)

export const OnboardingWarnings = Type.Array(OnboardingWarning, {
  maxItems: onboardingWarnings.length,
  description: 'What will prevent the customer from accepting the terms; empty if nothing will.',
})
