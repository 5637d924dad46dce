import type { BroadbandDatabase } from '../../broadband/broadband-database.ts'
import type { HomeTelecom } from '../../broadband/home-telecom.ts'
import type { SimulatedUpstreams } from '../../broadband/upstream-behaviour.ts'
import type { UpstreamAllowance } from '../../broadband/upstreams-for-property.ts'
import type { ContractDependencies } from '../../contracts/contract-dependencies.ts'
import type { ContractLinks, PreviewLinks } from '../../contracts/links/contract-link.ts'
import type { ContractUrlPolicy } from '../../contracts/links/link-token.ts'
import type { OnboardingLinks } from '../../contracts/links/onboarding-link.ts'
import type { RefusalLinks } from '../../contracts/mails/refusal-link.ts'
import type { RecordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { PreviewPolicy } from '../../contracts/preview/prepare-agreement.ts'
import type { ViewTerms } from '../../contracts/terms/view-terms.ts'
import type { IdentityProvider } from '../../partners/identity-provider.ts'
import type { TokenIssuer } from '../../partners/issue-token.ts'
import type { OperatorTokens } from '../../partners/operators/operator-tokens.ts'
import type { PartnerDirectory } from '../../partners/partner-directory.ts'
import type { RevokedTokens } from '../../partners/revocation/revoked-tokens.ts'
import type { TokenVerifier } from '../../partners/verify-token.ts'
import type { PaymentProcessor } from '../../payments/payment-processor.ts'
import type { SandboxProcessor } from '../../payments/sandbox-processor.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { NameResolver } from '../../platform/outbound/name-lookup.ts'
import type { ErasureLedger } from '../../privacy/erasure-ledger.ts'
import type { AddressSource } from '../../properties/address-source.ts'
import type { LoadQuoteForUpdate } from '../../quoting/quotes/load-quote.ts'
import type { QuotePolicy } from '../../quoting/quotes/quote-policy.ts'
import type { PsrCategoryDefinition } from '../../quoting/tenants/psr.ts'
import type { RemoveTenantsOf } from '../../quoting/tenants/remove-tenants.ts'
import type { QueueDueTenantMails, SendTenantMails } from '../../sandbox/advance-clock.ts'
import type { SandboxPrices } from '../../sandbox/price-change/change-prices.ts'
import type { EgressRules } from '../../webhooks/sender/webhook-target.ts'

/** Who issues access tokens: the embedded identity provider or a configured external one. */
export type TokenSource = { embedded: TokenIssuer } | { external: IdentityProvider; audience: string }

/**
 * Everything the routes pass to operations, for one partner: the database shows only that partner's rows. Each
 * function declares in its first parameter which of these it uses.
 */
export interface RouteDependencies extends CommonDependencies {
  db: Database
  upstreamAllowance: UpstreamAllowance
}

/** What is available before the caller is known, as built by `compose.ts`. */
export interface DeploymentDependencies extends CommonDependencies {
  databases: Databases
}

interface CommonDependencies extends ContractDependencies {
  readLog: ReadLog
  erasureLedger: ErasureLedger
  clock: Clock
  tokenVerifier: TokenVerifier
  revokedTokens: RevokedTokens
  tokenSource: TokenSource
  operatorTokens: OperatorTokens
  partners: PartnerDirectory
  addresses: AddressSource
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Undefined outside a sandbox. */
  simulatedUpstreams: SimulatedUpstreams | undefined
  paymentProcessor: PaymentProcessor
  /** The key of the processor's card field; undefined if cards are not entered in it. */
  publishableKey: string | undefined
  /** Undefined unless this is a sandbox with the simulated processor. */
  sandboxProcessor: SandboxProcessor | undefined
  /** Undefined outside a sandbox. */
  sandboxPrices: SandboxPrices | undefined
  /** Sends the e-mails of a partner's tenants, or of one, at once; otherwise, the job `send-tenant-mails` does. */
  sendTenantMails: SendTenantMails
  /** Does for one partner at once what the job `queue-tenant-mails` does. */
  queueDueTenantMails: QueueDueTenantMails
  /** After how many days an offer that came to nothing is deleted, with its tenants' data. */
  abandonedQuoteDays: number
  psrCategories: readonly PsrCategoryDefinition[]
  quotePolicy: QuotePolicy
  loadQuoteForUpdate: LoadQuoteForUpdate
  removeTenantsOf: RemoveTenantsOf
  recordContractChange: RecordContractChange
  contractLinks: ContractLinks
  previewLinks: PreviewLinks
  onboardingLinks: OnboardingLinks
  refusalLinks: RefusalLinks
  previewPolicy: PreviewPolicy
  viewTerms: ViewTerms
  contractUrlPolicy: ContractUrlPolicy
  resolver: NameResolver
  egress: EgressRules
}
