import type { Database } from '../db/database.ts'
import type { Databases } from '../db/databases.ts'
import type { AddressSource } from '../domain/addresses/address-source.ts'
import type { IdentityProvider } from '../domain/auth/identity-provider.ts'
import type { TokenIssuer } from '../domain/auth/issue-token.ts'
import type { PartnerDirectory } from '../domain/auth/partner-directory.ts'
import type { TokenVerifier } from '../domain/auth/verify-token.ts'
import type { BroadbandDatabase } from '../domain/broadband/broadband-database.ts'
import type { HomeTelecom } from '../domain/broadband/home-telecom.ts'
import type { SteeredUpstreams } from '../domain/broadband/steering.ts'
import type { UpstreamAllowance } from '../domain/broadband/upstream-allowance.ts'
import type { AgreeDependencies } from '../domain/contracts/agree-contract.ts'
import type { ContractLinks } from '../domain/contracts/contract-link.ts'
import type { ContractUrlPolicy } from '../domain/contracts/contract-url.ts'
import type { PsrCategoryDefinition } from '../domain/customers/psr.ts'
import type { PaymentProcessor } from '../domain/payments/payment-processor.ts'
import type { SandboxProcessor } from '../domain/payments/sandbox-processor.ts'
import type { QuotePolicy } from '../domain/quotes/quote-policy.ts'
import type { NameResolver } from '../domain/webhooks/egress/name-resolver.ts'
import type { EgressRules } from '../domain/webhooks/egress/webhook-target.ts'
import type { Clock } from '../kernel/clock.ts'

/** Who issues access tokens: the embedded identity provider, or one outside by configuration. */
export type TokenSource = { embedded: TokenIssuer } | { external: IdentityProvider; audience: string }

/**
 * Everything the routes hand on to the verbs, for one partner: its database holds nothing of anybody else's. Only routes see
 * the whole; each verb names in its first argument what it uses.
 */
export interface Services extends CommonServices {
  db: Database
  upstreamAllowance: UpstreamAllowance
}

/** The same before it is known who calls, as `compose.ts` builds it. */
export interface DeploymentServices extends CommonServices {
  databases: Databases
}

interface CommonServices extends AgreeDependencies {
  clock: Clock
  tokenVerifier: TokenVerifier
  tokenSource: TokenSource
  partners: PartnerDirectory
  addresses: AddressSource
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Only in a sandbox. */
  steeredUpstreams: SteeredUpstreams | undefined
  paymentProcessor: PaymentProcessor
  /** Only in a sandbox on the simulated processor. */
  sandboxProcessor: SandboxProcessor | undefined
  psrCategories: readonly PsrCategoryDefinition[]
  quotePolicy: QuotePolicy
  contractLinks: ContractLinks
  contractUrlPolicy: ContractUrlPolicy
  resolver: NameResolver
  egress: EgressRules
}
