import type { BroadbandDependencies } from '../../broadband/broadband-dependencies.ts'
import type { UpstreamAllowance } from '../../broadband/upstreams-for-property.ts'
import type { ContractDependencies } from '../../contracts/contract-dependencies.ts'
import type { ContractLinks, PreviewLinks } from '../../contracts/links/contract-link.ts'
import type { ContractUrlPolicy } from '../../contracts/links/link-token.ts'
import type { OnboardingLinks } from '../../contracts/links/onboarding-link.ts'
import type { RefusalLinks } from '../../contracts/mails/refusal-link.ts'
import type { PreviewPolicy } from '../../contracts/preview/prepare-agreement.ts'
import type { ViewTerms } from '../../contracts/terms/view-terms.ts'
import type { AccessDependencies } from '../../partners/access-dependencies.ts'
import type { PaymentDependencies } from '../../payments/payment-dependencies.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { ErasureLedger } from '../../privacy/erasure-ledger.ts'
import type { QuotingDependencies } from '../../quoting/quoting-dependencies.ts'
import type { SendTenantMails } from '../../sandbox/advance-clock.ts'
import type { SandboxDependencies } from '../../sandbox/sandbox-dependencies.ts'
import type { UrlCheckDependencies } from '../../webhooks/endpoints/check-registration.ts'

/** What takes a household from a quote to a contract, over an API or on a page. */
export interface HouseholdDependencies
  extends QuotingDependencies,
    BroadbandDependencies,
    PaymentDependencies,
    ContractDependencies,
    LinkDependencies {
  readLog: ReadLog
  erasureLedger: ErasureLedger
  clock: Clock
  contractUrlPolicy: ContractUrlPolicy
  /** Sends the e-mails of a partner's tenants, or of one, at once; otherwise, the job `send-tenant-mails` does. */
  sendTenantMails: SendTenantMails
  /** After how many days an offer that came to nothing is deleted, with its tenants' data. */
  abandonedQuoteDays: number
}

/**
 * Everything the routes pass to operations, for one partner: the database shows only that partner's rows. Each
 * function declares in its first parameter which of these it uses.
 */
export interface RouteDependencies extends HouseholdDependencies, UrlCheckDependencies, SandboxDependencies {
  db: Database
  upstreamAllowance: UpstreamAllowance
}

/** What tenants' pages and links are served with, before it is known whose they are. */
export interface PageDeployment extends HouseholdDependencies, Pick<SandboxDependencies, 'sandboxProcessor'> {
  databases: Databases
}

/** What is available before the caller is known, as built by `compose.ts`. */
export interface DeploymentDependencies
  extends HouseholdDependencies,
    UrlCheckDependencies,
    SandboxDependencies,
    AccessDependencies {}

/** The links that tenants open, and what they show. */
export interface LinkDependencies {
  contractLinks: ContractLinks
  previewLinks: PreviewLinks
  onboardingLinks: OnboardingLinks
  refusalLinks: RefusalLinks
  previewPolicy: PreviewPolicy
  viewTerms: ViewTerms
}
