import Fraction from 'fraction.js'
import { daysInPeriod } from '../../kernel/dates.ts'
import { pence } from '../../kernel/money.ts'
import { type RateCard, type RateCardPackage, type RegionalRate, vatRatesOf } from '../rates/rate-card.ts'
import { contractMonths } from './billing-months.ts'
import type { ContractTerm } from './contract-term.ts'
import { roundCosts } from './cost-figures.ts'
import type { PricedLine } from './price.ts'
import { netOf, vatPeriods, vatRateOn } from './vat.ts'

interface MeteredLineInput {
  meteredPackage: RateCardPackage
  rate: RegionalRate
  /** Assumed, in the service's unit. */
  usePerYear: number
  vat: RateCard['vat']
  term: ContractTerm
}

/** Consumption is spread over 365 days in leap years too. */
const daysInYear = 365

/**
 * The price of a metered package (docs/api-behaviour.md#how-prices-are-calculated): a day costs (consumption ÷ 365 ×
 * unit rate + standing charge) net, plus that day's VAT; the term is every day of the contract, the month the term ÷
 * contract months.
 */
export function meteredLine({ meteredPackage, rate, usePerYear, vat, term }: MeteredLineInput): PricedLine {
  const { contractStartDate, contractEndDate, billingDay } = term
  const unitsADay = new Fraction(usePerYear, daysInYear)
  const netDay = netOf(new Fraction(rate.unitRate).mul(unitsADay).add(new Fraction(rate.standingCharge)), rate.vatRate)
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
    ...roundCosts({
      month: exactTerm.div(contractMonths(contractStartDate, contractEndDate, billingDay)),
      term: exactTerm,
      termVat,
      setup: pence(meteredPackage.setupFee),
      setupVatRate,
    }),
  }
}
