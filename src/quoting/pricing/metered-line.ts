import Fraction from 'fraction.js'
import { daysInPeriod } from '../../platform/kernel/dates.ts'
import { pence } from '../../platform/kernel/money.ts'
import { type RateCard, type RateCardPackage, type RegionalRate, vatRatesOf } from '../rates/rate-card.ts'
import { countContractMonths } from './billing-months.ts'
import type { ContractTerm } from './contract-term.ts'
import { roundCosts } from './cost-figures.ts'
import type { PricedLine } from './price.ts'
import { netOf, vatPeriods, vatRateOn } from './vat.ts'

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
  const netDay = netOf(
    new Fraction(rate.unitRate).mul(unitsPerDay).add(new Fraction(rate.standingCharge)),
    rate.vatRate,
  )
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
      month: exactTerm.div(countContractMonths(contractStartDate, contractEndDate, billingDay)),
      term: exactTerm,
      termVat,
      setup: pence(meteredPackage.setupFee),
      setupVatRate,
    }),
  }
}
