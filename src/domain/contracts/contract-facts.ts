import type { Id } from '../../kernel/ids.ts'
import type { Nation } from '../addresses/property.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import type { ServiceTable } from '../packages/services.ts'
import type { PlannedPayment } from '../payments/plan/payment-plan.ts'
import type { QuotePrice, TenantShare } from '../pricing/price.ts'
import { shareOf } from '../pricing/share-of.ts'
import type { RateCard } from '../rates/rate-card.ts'
import type { Section } from './document.ts'
import type { OperatorFile } from './operator.ts'

/** The part of a document about one kind of service. */
export interface ContractSection {
  /** In a sentence: "energy". */
  name: string
  /** Its terms. `key` is the section's own in the table: the id it gets, and what its services' rows name. */
  terms(facts: ContractFacts, key: string, name: string): Section
}

export type ContractSections = Readonly<Record<string, ContractSection>>

/** Everything a tenant's contract document says. What is not here, the document does not claim. */
export interface ContractFacts {
  /** Also the contract's number. */
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  /** The tenant the document is for, as personal information was finalised. */
  tenant: { name: string; email: string }
  property: {
    /** As on an envelope: no empty line, postcode last. */
    addressLines: readonly string[]
    nation: Nation
    mpan: string | null
    mprn: string | null
  }
  /** The agreed figures of the household; `shares` holds one for `customerId`. Contract dates and billing day are its. */
  price: QuotePrice
  /** The card the price was worked out from. */
  rateCard: RateCard
  /** The tenant's final plan: it adds up to the share's `totalCost`. */
  payments: readonly PlannedPayment[]
  /** The products behind the price's broadband lines. */
  broadbandProducts: readonly BroadbandProduct[]
  /** The express request to begin within the 14 days of cancellation. */
  supplyDuringCancellation: boolean
  acceptedAt: Date
  operator: OperatorFile
  /** What the services of the price's lines are. */
  services: ServiceTable
  sections: ContractSections
  environment: 'sandbox' | 'live'
}

/** The tenant's share of the price. Throws where the price was worked out without them. */
export function ownShare({ price, customerId }: ContractFacts): TenantShare {
  return shareOf(price, customerId)
}
