import Fraction from 'fraction.js'
import { daysInPeriod, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import { pence } from '../../platform/kernel/money.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import { type RateCard, type RateCardPackage, type RegionalRate, vatRatesOf } from '../rates/rate-card.ts'
import { countContractMonths } from './billing-months.ts'
import { roundCosts } from './cost-figures.ts'
import type { PricedLine } from './price.ts'
import { netOf, vatIncludedIn, vatPeriods, vatRateOn } from './vat.ts'

interface MeteredLineInput {
  meteredPackage: RateCardPackage
  rate: RegionalRate
  /** The assumed yearly use, in the service's unit. */
  usePerYear: number
  vat: RateCard['vat']
  term: ContractTerm
}

/** Yearly consumption is spread over 365 days, even in leap years. */
const daysInYear = 365

/**
 * The price of a metered package (docs/api-behaviour.md#how-prices-are-calculated). A day costs consumption ÷ 365 ×
 * unit rate + standing charge, net, plus that day's VAT. The cost of the term is the sum over the contract's days. The
 * monthly cost is the cost of the term ÷ the contract months.
 */
export function meteredLine({ meteredPackage, rate, usePerYear, vat, term }: MeteredLineInput): PricedLine {
  const { contractStartDate, contractEndDate, billingDay } = term
  const unitsPerDay = new Fraction(usePerYear, daysInYear)
  const netDay = netOf(unitRateOf(rate).mul(unitsPerDay).add(new Fraction(rate.standingCharge)), rate.vatRate)
  const vatRates = vatPeriods(vatRatesOf({ vat }, meteredPackage.type), contractStartDate, contractEndDate)

  let taxedDays = new Fraction(0)
  for (const period of vatRates) {
    taxedDays = taxedDays.add(new Fraction(period.rate).mul(daysInPeriod(period.from, period.to)))
  }
  const termVat = netDay.mul(taxedDays)
  const exactTerm = netDay.mul(daysInPeriod(contractStartDate, contractEndDate)).add(termVat)
  const setupVatRate = vatRateOn(vat.fees, contractStartDate)
  return {
    packageId: meteredPackage.packageId,
    productId: null,
    type: meteredPackage.type,
    name: meteredPackage.name,
    startDate: contractStartDate,
    endDate: contractEndDate,
    vatRates,
    setupVatRate,
    ...(rate.twoRate === undefined ? {} : { registers: 'two_rate' as const }),
    ...roundCosts({
      month: exactTerm.div(countContractMonths(contractStartDate, contractEndDate, billingDay)),
      term: exactTerm,
      termVat,
      setup: pence(meteredPackage.setupFee),
      setupVatRate,
    }),
  }
}

/** What a unit costs on average, in pence: with two rates, by the share of the use that is at night. */
function unitRateOf({ unitRate, twoRate }: RegionalRate): Fraction {
  if (twoRate === undefined) return new Fraction(unitRate)
  const night = new Fraction(twoRate.nightShare)
  return night.mul(twoRate.nightRate).add(new Fraction(1).sub(night).mul(twoRate.dayRate))
}

/**
 * The first and last day that a household is priced for, both inclusive, and the day (1 to 28) on which its billing
 * months start.
 */
export interface ContractTerm {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  billingDay: number
}

interface BroadbandLinesInput {
  broadbandPackage: RateCardPackage
  /** The products, in the order in which they were added. */
  products: readonly BroadbandProduct[]
  /** The install date; null for the contract's first day. An earlier date counts as the contract's first day. */
  broadbandStartDate: IsoDate | null
  vat: RateCard['vat']
  term: ContractTerm
}

/** The charges of one line: the prices of a product, with the package's set-up fee in the first. */
interface Charge {
  productId: string
  name: string
  monthlyPrice: number
  setup: number
}

/**
 * The lines of the broadband package (docs/api-behaviour.md#broadband-in-the-price): one line per product, with the
 * main line before the add-ons. The package has no monthly price. Its set-up fee, if any, is added to the first line.
 * Without a main line, there is nothing to supply, so there is no line and nothing to pay.
 */
export function broadbandLines(input: BroadbandLinesInput): PricedLine[] {
  const { broadbandPackage, products } = input
  const mainLines = products.filter(({ kind }) => kind === 'line')
  if (mainLines.length === 0) return []
  const ordered = [...mainLines, ...products.filter(({ kind }) => kind === 'addon')]
  return ordered.map(({ productId, name, monthlyPrice, setupPrice }, index) =>
    broadbandLine(input, {
      productId,
      name,
      monthlyPrice,
      setup: setupPrice + (index === 0 ? broadbandPackage.setupFee : 0),
    }),
  )
}

/**
 * Prices one line. The monthly cost is the product's price. The cost of the term is that price × the contract months
 * from the line's start date, or 0 if the line starts after the contract ends. The price includes VAT, which is split
 * according to the contract months under each rate.
 */
function broadbandLine(
  { broadbandPackage, broadbandStartDate, vat, term }: BroadbandLinesInput,
  charge: Charge,
): PricedLine {
  const { contractStartDate, contractEndDate, billingDay } = term
  const startDate = laterOf(broadbandStartDate ?? contractStartDate, contractStartDate)
  const vatRates = vatPeriods(vatRatesOf({ vat }, broadbandPackage.type), startDate, contractEndDate)
  const month = new Fraction(charge.monthlyPrice)

  let exactTerm = new Fraction(0)
  let termVat = new Fraction(0)
  for (const period of vatRates) {
    const charged = month.mul(countContractMonths(period.from, period.to, billingDay))
    exactTerm = exactTerm.add(charged)
    termVat = termVat.add(vatIncludedIn(charged, period.rate))
  }
  const setupVatRate = vatRateOn(vat.fees, contractStartDate)
  return {
    packageId: broadbandPackage.packageId,
    productId: charge.productId,
    type: broadbandPackage.type,
    name: charge.name,
    startDate,
    endDate: contractEndDate,
    vatRates,
    setupVatRate,
    ...roundCosts({ month, term: exactTerm, termVat, setup: pence(charge.setup), setupVatRate }),
  }
}
