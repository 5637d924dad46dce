import type { RefusalLinks } from '../mails/refusal-link.ts'
import type { PreviewPolicy } from '../preview/prepare-agreement.ts'
import type { ViewTerms } from '../terms/view-terms.ts'
import type { ContractLinks, PreviewLinks } from './contract-link.ts'
import type { OnboardingLinks } from './onboarding-link.ts'

/** The links that tenants open, and what they show. */
export interface LinkDependencies {
  contractLinks: ContractLinks
  previewLinks: PreviewLinks
  onboardingLinks: OnboardingLinks
  refusalLinks: RefusalLinks
  previewPolicy: PreviewPolicy
  viewTerms: ViewTerms
}
