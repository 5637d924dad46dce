import type { IsoDate } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import type { CustomerStatus, PaymentStatus } from '../customers/customer.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import type { QuotePrice } from '../pricing/price.ts'

/** Where a quote is in its life. `status` on the wire is the step's label while open, the stage afterwards. */
export type QuoteStage = 'open' | 'active' | 'completed' | 'cancelled'

/** The label of the last step taken while the quote is open. */
const stepLabels = ['draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated', 'BroadbandAdded'] as const
export type StepLabel = (typeof stepLabels)[number]

export type QuoteStatus = StepLabel | Exclude<QuoteStage, 'open'>
export const quoteStatuses: readonly QuoteStatus[] = [...stepLabels, 'active', 'completed', 'cancelled']

/** Who chose a contract date: nobody, the partner when making the quote, or the lead tenant later. */
export type DateOrigin = 'default' | 'partner' | 'lead'

/** The home as it was when the quote was made. */
export interface QuotedAddress {
  addressUid: string
  addressLine1: string
  addressLine2: string
  city: string
  county: string
  country: string
  postCode: string
  uprn: string
  mpan: string | null
  mprn: string | null
}

/** Why prices changed, as the partner reads it in `priceUpdates`. */
export const priceUpdateReasons = [
  'quote_expired',
  'packages_changed',
  'tenants_changed',
  'broadband_changed',
  'dates_changed',
] as const
export type PriceUpdateReason = (typeof priceUpdateReasons)[number]

export interface PriceUpdate {
  at: string
  reason: PriceUpdateReason
  oldMonthlyCost: number
  newMonthlyCost: number
}

/** A tenant as the quote sees them; personal fields are decrypted. */
export interface QuoteTenant {
  tenantId: Id<'tenant'>
  joiningNumber: number
  name: string
  email: string
  status: CustomerStatus
  paymentStatus: PaymentStatus
}

/** The whole aggregate: the quote's row and its tenants in joining order (the first one leads). */
export interface Quote {
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  stage: QuoteStage
  stepLabel: StepLabel
  reference: string | null
  bedrooms: number | null
  quotingToolVersionId: string
  versionIsExplicit: boolean
  address: QuotedAddress
  /** GSP group of the home. */
  region: string
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  startOrigin: DateOrigin
  endOrigin: DateOrigin
  selectedPackageIds: string[]
  broadbandProducts: BroadbandProduct[]
  broadbandInstallDates: IsoDate[]
  broadbandStartDate: IsoDate | null
  /** Null until packages are selected. */
  price: QuotePrice | null
  pricedAt: Date
  priceUpdates: PriceUpdate[]
  expiresAt: Date
  createdAt: Date
  tenants: QuoteTenant[]
}

export function quoteStatus(quote: Pick<Quote, 'stage' | 'stepLabel'>): QuoteStatus {
  return quote.stage === 'open' ? quote.stepLabel : quote.stage
}

/** Only an open quote can be expired: from active on, its prices are agreed. */
export function isExpired(quote: Pick<Quote, 'stage' | 'expiresAt'>, now: Date): boolean {
  return quote.stage === 'open' && quote.expiresAt <= now
}

/** The lead tenant: the first to have joined among those still there. */
export function leadTenantId(quote: Pick<Quote, 'tenants'>): string | null {
  return quote.tenants[0]?.tenantId ?? null
}

/** Of one quote. */
export const mostTenants = 12
