import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { PlannedPayment } from '../../payments/plan/plan-payments.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { CostFigures, PricedLine, QuotePrice } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { contractTermInWords } from '../../quoting/quotes/tenancy.ts'
import { type RateCard, type RegionalRate, rateFor } from '../../quoting/rates/rate-card.ts'
import { type Customer, fullName } from '../../quoting/tenants/customer.ts'
import type { OperatorFile } from '../operator-file.ts'
import type { AgreedTerms, TermsVersion } from '../terms/agreed-terms.ts'
import { isFreeWhenTenancyEnds } from '../terms/fees-in-words.ts'

/** The part of an agreement that a payment schedule shows: what the tenant pays, for which days, and when. */
export interface PreviewedTerms {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  /** The tenant's share of each line, with the days on which it is charged, and the sums. */
  own: CostFigures & { lines: (CostFigures & { startDate: IsoDate; endDate: IsoDate })[] }
  plan: readonly PlannedPayment[]
}

/**
 * Everything that a tenant agrees to (docs/api-behaviour.md#previews). It contains no moment, nothing that follows from
 * the moment of acceptance, and nothing about other tenants but their number.
 */
export interface Agreement extends PreviewedTerms {
  customerId: string
  name: string
  email: string
  home: Pick<Quote['address'], 'addressLine1' | 'addressLine2' | 'city' | 'county' | 'postCode' | 'uprn'>
  meterPoints: { mpan: string | null; mprn: string | null }
  tenants: number
  products: Quote['broadbandProducts']
  /** The household's lines, each with the rates it was priced at. */
  household: CostFigures & { lines: (PricedLine & { rate: RegionalRate | null })[] }
  earlySupplyRequested: boolean
  /** How long the contract lasts, as the documents say it. */
  termInWords: string
  terms: Pick<TermsVersion, 'version' | 'sha256'>
  suppliers: OperatorFile['suppliers']
}

/** What the parts of an agreement are called in errors. */
const partNames: Record<keyof Agreement, string> = {
  customerId: 'the customer',
  name: "the tenant's name",
  email: "the tenant's email address",
  home: 'the home',
  meterPoints: 'the meter points',
  tenants: 'the number of tenants',
  products: 'the broadband products',
  contractStartDate: 'the first day',
  contractEndDate: 'the last day',
  household: "the household's price",
  own: "the tenant's share",
  plan: 'the payment plan',
  earlySupplyRequested: 'the request for supply within the cancellation period',
  termInWords: 'how long the contract lasts',
  terms: 'the terms',
  suppliers: 'the suppliers',
}

/** What this tenant would agree to, if they accepted with this plan. */
export function agreementOf(facts: {
  quote: Quote
  price: QuotePrice
  customer: Customer
  plan: readonly PlannedPayment[]
  card: RateCard
  operator: OperatorFile
  terms: AgreedTerms
}): Agreement {
  const { quote, price, customer, plan, card, operator, terms } = facts
  const { addressLine1, addressLine2, city, county, postCode, uprn, mpan, mprn } = quote.address
  const bought = new Set<string>(price.lines.map(({ type }) => type))
  return {
    ...previewedTermsOf(price, customer.customerId, plan),
    customerId: customer.customerId,
    name: fullName(customer.personal),
    email: customer.personal.email,
    home: { addressLine1, addressLine2, city, county, postCode, uprn },
    meterPoints: { mpan, mprn },
    tenants: price.shares.length,
    products: quote.broadbandProducts,
    household: {
      ...figuresOf(price),
      lines: price.lines.map((line) => ({ ...line, rate: rateOf(line, price.region, card) })),
    },
    earlySupplyRequested: customer.earlySupplyRequested,
    termInWords: contractTermInWords(
      { ...price, tenancy: quote.tenancy },
      { isFreeWhenTenancyEnds: isFreeWhenTenancyEnds(terms) },
    ),
    terms: { version: terms.version, sha256: terms.sha256 },
    suppliers: Object.fromEntries(Object.entries(operator.suppliers).filter(([service]) => bought.has(service))),
  }
}

/** The part of an agreement that the tenant's payment schedule shows. */
export function previewedTermsOf(
  price: QuotePrice,
  customerId: Customer['customerId'],
  plan: readonly PlannedPayment[],
): PreviewedTerms {
  const share = shareOf(price, customerId)
  const lines = share.lines.map((own, index) => {
    const line = price.lines[index]
    if (line === undefined) throw new RangeError("the share's lines do not match the household's")
    return { ...figuresOf(own), startDate: line.startDate, endDate: line.endDate }
  })
  const { contractStartDate, contractEndDate } = price
  return { contractStartDate, contractEndDate, own: { ...figuresOf(share), lines }, plan: plan.map(asPlanned) }
}

/** Only what was planned, because a payment of a schedule also has a status, which is not agreed to. */
function asPlanned({ date, amount, kind, periodStart, periodEnd, description }: PlannedPayment): PlannedPayment {
  return { date, amount, kind, periodStart, periodEnd, description }
}

/** The part of an agreement or of shown terms that is compared when no documentHash is sent. */
export function previewedPart({ contractStartDate, contractEndDate, own, plan }: PreviewedTerms): PreviewedTerms {
  return { contractStartDate, contractEndDate, own, plan }
}

/** The SHA-256 hash, in hexadecimal, of the RFC 8785 form of the object. */
export function hashOf(agreed: PreviewedTerms): string {
  return createHash('sha256')
    .update(canonicalize(agreed) ?? '')
    .digest('hex')
}

/** What has changed, in words. A part that the earlier terms do not have is not compared. */
export function changedParts(shown: Partial<Agreement>, current: Agreement): string[] {
  const parts = Object.keys(partNames) as (keyof Agreement)[]
  return parts
    .filter((part) => shown[part] !== undefined && canonicalize(shown[part]) !== canonicalize(current[part]))
    .map((part) => partNames[part])
}

function figuresOf(figures: CostFigures): CostFigures {
  const { weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat, setupCost, setupNet, setupVat } = figures
  return { weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat, setupCost, setupNet, setupVat }
}

function rateOf({ packageId, registers }: PricedLine, region: string, card: RateCard): RegionalRate | null {
  const rates = card.packages.find((each) => each.packageId === packageId)?.rates
  return rateFor(rates, region, registers) ?? null
}
