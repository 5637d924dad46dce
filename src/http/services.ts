import type { Database } from '../db/database.ts'
import type { Databases } from '../db/databases.ts'
import type { AddressSource } from '../domain/addresses/address-source.ts'
import type { ReadLog } from '../domain/audit/read-log.ts'
import type { IdentityProvider } from '../domain/auth/identity-provider.ts'
import type { TokenIssuer } from '../domain/auth/issue-token.ts'
import type { PartnerDirectory } from '../domain/auth/partner-directory.ts'
import type { RevokedTokens } from '../domain/auth/revocation/revoked-tokens.ts'
import type { TokenVerifier } from '../domain/auth/verify-token.ts'
import type { BroadbandDatabase } from '../domain/broadband/broadband-database.ts'
import type { HomeTelecom } from '../domain/broadband/home-telecom.ts'
import type { UpstreamAllowance } from '../domain/broadband/upstream-allowance.ts'
import type { SimulatedUpstreams } from '../domain/broadband/upstream-behaviour.ts'
import type { ContractDependencies } from '../domain/contracts/contract-dependencies.ts'
import type { ContractLinks } from '../domain/contracts/links/contract-link.ts'
import type { ContractUrlPolicy } from '../domain/contracts/links/link-policy.ts'
import type { PreviewLinks } from '../domain/contracts/links/preview-link.ts'
import type { ShownTermsPolicy } from '../domain/contracts/shown/require-shown-terms.ts'
import type { ViewTerms } from '../domain/contracts/terms/view-terms.ts'
import type { PsrCategoryDefinition } from '../domain/customers/psr.ts'
import type { OperatorTokens } from '../domain/operators/operator-tokens.ts'
import type { PaymentProcessor } from '../domain/payments/payment-processor.ts'
import type { SandboxProcessor } from '../domain/payments/sandbox-processor.ts'
import type { ErasureLedger } from '../domain/privacy/erasure-ledger.ts'
import type { LoadAndLockQuote } from '../domain/quotes/load-quote.ts'
import type { QuotePolicy } from '../domain/quotes/quote-policy.ts'
import type { SendTenantMails } from '../domain/sandbox/advance-clock.ts'
import type { SandboxPrices } from '../domain/sandbox/price-change/sandbox-prices.ts'
import type { NameResolver } from '../domain/webhooks/egress/name-resolver.ts'
import type { EgressRules } from '../domain/webhooks/egress/webhook-target.ts'
import type { Clock } from '../kernel/clock.ts'

/** Who issues access tokens: the embedded identity provider or a configured external one. */
export type TokenSource = { embedded: TokenIssuer } | { external: IdentityProvider; audience: string }

/**
 * Everything the routes pass to domain functions, for one partner: the database shows only that partner's rows. Each function declares
 * in its first parameter which of these it uses.
 */
export interface Services extends CommonServices {
  db: Database
  upstreamAllowance: UpstreamAllowance
}

/** The services that are available before the caller is known, as built by `compose.ts`. */
export interface DeploymentServices extends CommonServices {
  databases: Databases
}

interface CommonServices extends ContractDependencies {
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
  /** Undefined unless this is a sandbox with the simulated processor. */
  sandboxProcessor: SandboxProcessor | undefined
  /** Undefined outside a sandbox. */
  sandboxPrices: SandboxPrices | undefined
  /** Sends the e-mails of a partner's tenants at once, in a sandbox; the job `send-tenant-mails` sends them otherwise. */
  sendTenantMails: SendTenantMails
  psrCategories: readonly PsrCategoryDefinition[]
  quotePolicy: QuotePolicy
  loadAndLockQuote: LoadAndLockQuote
  contractLinks: ContractLinks
  previewLinks: PreviewLinks
  shownTermsPolicy: ShownTermsPolicy
  viewTerms: ViewTerms
  contractUrlPolicy: ContractUrlPolicy
  resolver: NameResolver
  egress: EgressRules
}
