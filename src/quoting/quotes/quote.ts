import type { ContractStatus } from '../../contracts/contract.ts'
import { addDays, endOfDayBefore, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { MeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import type { ReportedStatuses } from '../packages/service-status.ts'
import type { QuotePrice } from '../pricing/price.ts'
import type { StoredWarning } from '../pricing/warnings/stored-warning.ts'
import type { CustomerStatus, PaymentStatus, PersonalDetails } from '../tenants/customer.ts'
import type { Metadata } from './metadata.ts'
import type { MoveIn } from './occupiers.ts'
import { lastDayOfRightToCancel, type QuotePolicy } from './quote-policy.ts'
import type { Tenancy } from './tenancy.ts'

/** The stage of a quote. The API's `status` is the step label while the quote is open, and the stage afterwards. */
export type QuoteStage = 'open' | 'active' | 'completed' | 'cancelled'

/** The labels that an open quote can have. Each names the last step taken. */
const stepLabels = ['draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated', 'BroadbandAdded'] as const
export type StepLabel = (typeof stepLabels)[number]

export type QuoteStatus = StepLabel | Exclude<QuoteStage, 'open'>
export const quoteStatuses: readonly QuoteStatus[] = [...stepLabels, 'active', 'completed', 'cancelled']

/** Who chose a contract date: the partner when it created the quote, the lead tenant later, or nobody (`default`). */
type DateOrigin = 'default' | 'partner' | 'lead'

/** The property's address, as it was when the quote was created. */
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

/** The address as on an envelope. */
export function envelopeLines(address: QuotedAddress): string[] {
  return [address.addressLine1, address.addressLine2, address.city, address.county, address.postCode].filter(
    (line) => line !== '',
  )
}

/** The reasons for a price change that `priceUpdates` can show. */
export const priceUpdateReasons = [
  'quote_expired',
  'packages_changed',
  'tenants_changed',
  'broadband_changed',
  'dates_changed',
  'meter_changed',
] as const
export type PriceUpdateReason = (typeof priceUpdateReasons)[number]

interface PriceUpdate {
  at: string
  reason: PriceUpdateReason
  oldMonthlyCost: number
  newMonthlyCost: number
}

/** A tenant of a quote. */
export interface QuoteTenant {
  tenantId: Id<'tenant'>
  joiningNumber: number
  personal: PersonalDetails
  /** Whether the tenant has asked for supply within the cancellation period. */
  earlySupplyRequested: boolean
  status: CustomerStatus
  paymentStatus: PaymentStatus
  /** Whether the tenant agreed to lead the household after the lead tenant was erased. */
  agreedToLead: boolean
  /** Whether the tenant's personal data was erased. */
  isErased: boolean
  /** Whether they can lead the household: they were not erased, and their death is not confirmed. */
  mayLead: boolean
  /** The status of the contract that the tenant agreed to last; null if there was none. */
  contractStatus: ContractStatus | null
  /** Whose share the tenant takes or took over; null for a tenant of the original household. */
  replaces: Id<'tenant'> | null
  /**
   * The first day of a tenant who takes over a share: as asked for, but tomorrow at the earliest, or as agreed once
   * they have accepted. Null for others.
   */
  joinsOn: IsoDate | null
  /** The last day of a tenant whose contract ends or ended early; null for others. */
  leavesOn: IsoDate | null
}

/** How a tenant takes over the share of another. */
interface TakingOver {
  /** The first day of the tenant who takes over. */
  from: IsoDate
  /** Whether they still can, or have: the tenant who leaves must still have a contract on the day before. */
  isPossible: boolean
}

/** A quote with its tenants in joining order. The first is the lead tenant. */
export interface Quote {
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  stage: QuoteStage
  stepLabel: StepLabel
  reference: string | null
  /** What the partner keeps with the quote. */
  metadata: Metadata
  bedrooms: number | null
  /** The branch of the partner that sells it; null for no particular one. */
  branch: string | null
  /** Who sold it: a name, or the id of one of the partner's people; null if nobody said. */
  soldBy: string | null
  quotingToolVersionId: string
  versionIsExplicit: boolean
  address: QuotedAddress
  /** The property's GSP group. */
  region: string
  /** How the household moves in; null if nobody said. */
  moveIn: MoveIn | null
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  startOrigin: DateOrigin
  endOrigin: DateOrigin
  selectedPackageIds: string[]
  broadbandProducts: BroadbandProduct[]
  broadbandInstallDates: IsoDate[]
  broadbandStartDate: IsoDate | null
  /** The install date that the partner selected; null if broadband starts on the earliest one. */
  selectedInstallDate: IsoDate | null
  /** The price of the quote; null until packages are selected. */
  price: QuotePrice | null
  pricedAt: Date
  priceUpdates: PriceUpdate[]
  priceWarnings: StoredWarning[]
  /**
   * Some of the partner's other quotes that already supply the property on the same days. Worked out where responses
   * show it; empty in a quote that was locked to change it or read for one of its customers.
   */
  overlappingQuoteIds: Id<'quote'>[]
  expiresAt: Date
  /**
   * Whether the price was renewed after it expired and nobody has acted on the new price yet: the specification's
   * `QuotePricesUpdated`.
   */
  pricesUpdated: boolean
  /**
   * When the lock of an active quote ends unless every tenant has accepted by then. Null if the quote is not active.
   */
  lockedUntil: Date | null
  /** The version of the terms, which is fixed when the quote locks; null before. */
  termsVersion: string | null
  /** Whether these terms let a tenant whose tenancy ends go without a fee; null while today's apply. */
  isFreeWhenTenancyEnds: boolean | null
  /** What was reported about the services of the home. */
  serviceStatuses: ReportedStatuses
  createdAt: Date
  /** When the partner or the lead tenant said that everybody is on the quote; null if somebody may be missing. */
  householdCompleteAt: Date | null
  /** Whether the partner has this deployment write to the tenants before they have a contract. */
  sendEmails: boolean
  /** The partner's page to which the tenants' pages lead back; null if there is none. */
  returnUrl: string | null
  /** What is known of the household's tenancy; null if nothing is. */
  tenancy: Tenancy | null
  /** What is known of the home's meters and heating; null if nothing is. */
  meter: MeterFacts | null
  tenants: QuoteTenant[]
  /**
   * Only in the quote as a tenant sees it who takes over a share (`contracts/load-quote-of-customer.ts`), which is
   * never stored.
   */
  takingOver?: TakingOver
}

export function quoteStatus(quote: Pick<Quote, 'stage' | 'stepLabel'>): QuoteStatus {
  return quote.stage === 'open' ? quote.stepLabel : quote.stage
}

/** Whether the quote has expired. Only an open quote can expire, because the prices of an active quote are agreed. */
export function isExpired(quote: Pick<Quote, 'stage' | 'expiresAt'>, now: Date): boolean {
  return quote.stage === 'open' && quote.expiresAt <= now
}

/**
 * Locks an open quote: its price, dates and terms are agreed until `lockedUntil`. Returns a quote that is not open
 * unchanged. Every tenant must accept before the contract's first day, so the lock never passes the end of the day
 * before.
 */
export function startLock(
  quote: Quote,
  policy: QuotePolicy,
  { now, termsVersion }: { now: Date; termsVersion: string },
): Quote {
  if (quote.stage !== 'open') return quote
  return { ...quote, stage: 'active', lockedUntil: lockEnd(quote, policy, now), termsVersion }
}

/**
 * When a lock that begins now ends. A lock lasts until its day is over in London, which is what documents say of it.
 */
function lockEnd({ contractStartDate }: Quote, { lockDays }: QuotePolicy, now: Date): Date {
  const lastDay = addDays(londonDate(now), lockDays)
  return new Date(Math.min(endOfDayBefore(addDays(lastDay, 1)).getTime(), endOfDayBefore(contractStartDate).getTime()))
}

/**
 * Whether a tenant can only accept after expressly asking for supply within the cancellation period (CCR 2013, reg.
 * 36): some service would start on or before the 14th day after the end of the lock, which is the last moment at which
 * the contract can take effect. An open quote is judged as if it were locked now.
 */
export function earlySupplyMustBeRequested(quote: Quote, policy: QuotePolicy, now: Date): boolean {
  if (quote.price === null) return false
  // A tenant who takes over a share is the last to accept, so their contract takes effect at once.
  const end = quote.takingOver ? now : quote.stage === 'open' ? lockEnd(quote, policy, now) : quote.lockedUntil
  if (end === null) return false
  const lastDay = lastDayOfRightToCancel(londonDate(end))
  return quote.price.lines.some(({ startDate }) => startDate <= lastDay)
}

/** Whether the lock of an active quote has ended before every tenant accepted. */
export function hasLapsed(quote: Pick<Quote, 'stage' | 'lockedUntil'>, now: Date): boolean {
  return quote.stage === 'active' && quote.lockedUntil !== null && quote.lockedUntil <= now
}

/**
 * The quote as it is at this moment. When its lock has ended, it is open again with prices that expired at that moment,
 * and nobody has accepted, whether or not that has been stored.
 */
export function asOf(quote: Quote, now: Date): Quote {
  if (!hasLapsed(quote, now) || quote.lockedUntil === null) return withJoinDays(quote, now)
  const open = unlocked(quote)
  const tenants = open.tenants.map((tenant) => ({ ...tenant, paymentStatus: afterLock(tenant.paymentStatus) }))
  return { ...open, tenants, expiresAt: quote.lockedUntil }
}

/**
 * A customer's payment status once the lock of the quote has ended: an unfinished setup intent is cancelled, and a card
 * that is attached stays.
 */
export function afterLock(status: PaymentStatus): PaymentStatus {
  return status === 'setup_started' || status === 'setup_failed' ? 'not_started' : status
}

/** A tenant who has not accepted yet takes over a share tomorrow at the earliest. */
function withJoinDays(quote: Quote, now: Date): Quote {
  if (!quote.tenants.some(mayBeLate)) return quote
  const tomorrow = addDays(londonDate(now), 1)
  const isLate = (tenant: QuoteTenant) => mayBeLate(tenant) && tenant.joinsOn < tomorrow
  return { ...quote, tenants: quote.tenants.map((each) => (isLate(each) ? { ...each, joinsOn: tomorrow } : each)) }
}

function mayBeLate(tenant: QuoteTenant): tenant is QuoteTenant & { joinsOn: IsoDate } {
  return tenant.joinsOn !== null && tenant.contractStatus === null
}

/** The quote without its lock: open again at its last step, with nobody onboarded. */
export function unlocked(quote: Quote): Quote {
  return {
    ...quote,
    stage: 'open',
    lockedUntil: null,
    termsVersion: null,
    isFreeWhenTenancyEnds: null,
    tenants: quote.tenants.map((tenant) => ({ ...tenant, status: statusWithoutContract(tenant.status) })),
  }
}

/** The status of a customer whose contract came to nothing. */
export function statusWithoutContract(status: CustomerStatus): CustomerStatus {
  return status === 'OnboardingComplete' ? 'PersonalInfoComplete' : status
}

/**
 * The id of the lead tenant: who agreed to lead after the lead tenant was erased, or else who joined first among those
 * still on the quote. Null while nobody leads an open quote; later, there is nothing to lead. In SQL: `leadFirst`.
 */
export function leadTenantId({ stage, tenants }: Pick<Quote, 'stage' | 'tenants'>): string | null {
  const lead = tenants.find((tenant) => tenant.agreedToLead && tenant.mayLead) ?? tenants[0]
  return lead === undefined || (stage === 'open' && !lead.mayLead) ? null : lead.tenantId
}

/** Whether a tenant is to be asked to lead: nobody can say any more that the household is complete. */
export function needsLead(quote: Pick<Quote, 'stage' | 'tenants' | 'householdCompleteAt'>): boolean {
  return quote.stage === 'open' && quote.householdCompleteAt === null && leadTenantId(quote) === null
}

/**
 * Whom to contact about the household: the lead tenant or, once the quote is completed, the first tenant whose contract
 * is in force. Null if there is none.
 */
export function primaryContact(quote: Pick<Quote, 'stage' | 'tenants'>): string | null {
  if (quote.stage !== 'completed') return leadTenantId(quote)
  return quote.tenants.find(({ contractStatus }) => contractStatus === 'in_force')?.tenantId ?? null
}

/** The maximum number of tenants that a quote can have had, with those who took over a share. */
export const maxTenantsEver = 60

export function withTenant(quote: Quote, changed: QuoteTenant): Quote {
  return { ...quote, tenants: quote.tenants.map((tenant) => (tenant.tenantId === changed.tenantId ? changed : tenant)) }
}
