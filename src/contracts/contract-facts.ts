import type { PlannedPayment } from '../payments/plan/plan-payments.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Nation } from '../properties/property.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'
import type { ServiceTable } from '../quoting/packages/services.ts'
import type { QuotePrice, TenantShare } from '../quoting/pricing/price.ts'
import { shareOf } from '../quoting/pricing/split-lines.ts'
import type { RateCard } from '../quoting/rates/rate-card.ts'
import type { Section } from './document.ts'
import type { OperatorFile } from './operator-file.ts'
import type { AgreedTerms } from './terms/agreed-terms.ts'

/** Describes the section of a contract document that is about one kind of service. */
export interface ContractSection {
  /** The name of the service as it is used within a sentence, e.g. "energy". */
  name: string
  /**
   * Builds the section. `key` is the section's key in `ContractSections`. Services refer to the section by this key,
   * and it becomes the section's id in the document.
   */
  terms(facts: ContractFacts, key: string, name: string): Section
}

export type ContractSections = Readonly<Record<string, ContractSection>>

/** How far the household's agreement has come when the document is made. */
export interface HouseholdAgreement {
  /** Whether the tenant has not accepted yet. Every page of a draft says that it is no contract. */
  draft: boolean
  /**
   * The last day on which the other tenants can accept; then the contract lapses. Null if the contract takes effect
   * with this acceptance, and in a draft if the day is not known yet.
   */
  lapsesAfter: IsoDate | null
  /** Whether the tenant takes over the share of another, who leaves. */
  takesOver: boolean
  /** The number that a tenant can read out on the telephone; null if there is none yet. */
  contractNumber: string | null
}

/** All the facts from which a tenant's contract document is built. */
export interface ContractFacts {
  /** The customer's id, which is also the contract number if there is no `agreement`. */
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  /** The tenant, as stated in the finalised personal information. */
  tenant: { name: string; email: string }
  property: {
    /** The address lines as on an envelope, without empty lines and with the postcode last. */
    addressLines: readonly string[]
    nation: Nation
    mpan: string | null
    mprn: string | null
  }
  /**
   * The household's agreed price, with the contract dates and billing day. Its `shares` include that of `customerId`.
   */
  price: QuotePrice
  /** How long the contract lasts, within a sentence (`contractTermInWords`). */
  termInWords: string
  /** The rate card that the price was calculated from. */
  rateCard: RateCard
  /** The tenant's final payment plan, which adds up to the share's `totalCost`. */
  payments: readonly PlannedPayment[]
  /** The broadband products that the price includes. */
  broadbandProducts: readonly BroadbandProduct[]
  /** Whether the tenant asked for supply to begin within the 14-day cancellation period. */
  earlySupplyRequested: boolean
  /** When the tenant accepted. For a draft, when it was made; a draft does not print it. */
  acceptedAt: Date
  /** Absent: the contract took effect when the tenant accepted, and its number is the customer's id. */
  agreement?: HouseholdAgreement
  operator: OperatorFile
  /** The version of the terms that the tenant accepts, as stored. */
  terms: AgreedTerms
  /** The services that the price's lines refer to. */
  services: ServiceTable
  sections: ContractSections
  environment: 'sandbox' | 'live'
  /** Where the tenant asks for a link to their pages. It has no secret, and is not part of what they agree to. */
  pagesAddress: string
  /** Where everybody reads how data is used. Not part of what the tenant agrees to. */
  privacyAddress: string
}

/** The tenant's share of the price. Throws if the price has no share for them. */
export function tenantShare({ price, customerId }: ContractFacts): TenantShare {
  return shareOf(price, customerId)
}
