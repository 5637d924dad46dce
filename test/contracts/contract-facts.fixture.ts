import { readFileSync } from 'node:fs'
import { contractSections } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import type { OperatorFile } from '../../src/contracts/operator-file.ts'
import { readTerms, termsOf } from '../../src/contracts/terms/agreed-terms.ts'
import { isFreeWhenTenancyEnds } from '../../src/contracts/terms/fees-in-words.ts'
import { planPayments } from '../../src/payments/plan/plan-payments.ts'
import { addDays, isoDate, lastDayOfTerm, londonDate } from '../../src/platform/kernel/dates.ts'
import { divisionOfCountry, parseBankHolidays } from '../../src/platform/kernel/working-days.ts'
import type { MeterFacts } from '../../src/properties/meter-facts/meter-facts.ts'
import type { BroadbandProduct } from '../../src/quoting/packages/package.ts'
import { type Service, services as serviceTable } from '../../src/quoting/packages/services.ts'
import { priceQuote } from '../../src/quoting/pricing/price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes, wifiAddOn } from '../../src/quoting/pricing/rate-card.fixture.ts'
import { contractTermInWords } from '../../src/quoting/quotes/tenancy.ts'
import type { RateCard } from '../../src/quoting/rates/rate-card.ts'

export const sampleOperator: OperatorFile = JSON.parse(
  readFileSync(new URL('../../reference-data/operator.sample.json', import.meta.url), 'utf8'),
)
const holidays = parseBankHolidays(
  readFileSync(new URL('../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)

export { fibreLine, wifiAddOn }

interface Household {
  services?: readonly Service[]
  products?: readonly BroadbandProduct[]
  tenants?: number
  months?: number
  /** The length of a contract of less than a month. */
  days?: number
  startsOn?: string
  broadbandStartsOn?: string
  card?: RateCard
  name?: string
  email?: string
  addressLines?: readonly string[]
  mprn?: string | null
  registers?: MeterFacts['registers']
  earlySupplyRequested?: boolean
  environment?: 'sandbox' | 'live'
  operator?: OperatorFile
}

/**
 * Facts of the household in docs/api-behaviour.md#a-worked-example, whose lead tenant accepts on 20 December 2026 at
 * 14:03.
 * `household` overrides any part.
 */
export function contractFacts(household: Household = {}): ContractFacts {
  const { services = ['electricity', 'gas', 'broadband'], tenants = 3, months = 12, card = autumnCard } = household
  const products = services.includes('broadband') ? (household.products ?? [fibreLine]) : []
  const { operator = sampleOperator } = household
  const acceptedAt = new Date('2026-12-20T14:03:07.123Z')
  const { days, startsOn = '2027-01-15', broadbandStartsOn } = household
  const contractStartDate = isoDate(startsOn)
  const contractEndDate =
    days === undefined ? lastDayOfTerm(contractStartDate, months) : addDays(contractStartDate, days - 1)
  const term = { contractStartDate, contractEndDate, billingDay: 1 }
  const tenantIds = Array.from({ length: tenants }, (_, index) => `tenant_0${index + 1}` as const)
  const price = priceQuote({
    ...term,
    card,
    address: { mpan: '1000000000040', mprn: '3938424403', country: 'England' },
    region: '_C',
    meter: {
      ...{ payment: 'unknown', smart: 'unknown', heating: 'unknown' },
      registers: household.registers ?? 'unknown',
    },
    packages: packagesOfTypes(card, ...services),
    products,
    broadbandStartDate: broadbandStartsOn === undefined ? null : isoDate(broadbandStartsOn),
    tenantIds,
    bedrooms: null,
  })
  const [share] = price.shares
  if (share === undefined) throw new Error('a household needs at least one tenant')
  const payments = planPayments({
    ...term,
    share,
    lines: price.lines,
    today: londonDate(acceptedAt),
    division: divisionOfCountry('England'),
    holidays,
  })
  return {
    customerId: share.tenantId,
    quoteId: 'quote_01',
    tenant: { name: household.name ?? 'Alex Morgan', email: household.email ?? 'alex.morgan@example.com' },
    property: {
      addressLines: household.addressLines ?? ['Flat 2', '14 Sample Road', 'Norwich', 'Norfolk', 'NR4 7TJ'],
      nation: 'England',
      mpan: services.includes('electricity') ? '1000000000040' : null,
      mprn: household.mprn === undefined ? '3938424403' : household.mprn,
    },
    price,
    termInWords: contractTermInWords(
      { ...term, tenancy: null },
      { isFreeWhenTenancyEnds: isFreeWhenTenancyEnds(operator) },
    ),
    rateCard: card,
    payments,
    broadbandProducts: products,
    earlySupplyRequested: household.earlySupplyRequested ?? true,
    acceptedAt,
    operator,
    terms: readTerms(termsOf(operator)),
    services: serviceTable,
    sections: contractSections,
    environment: household.environment ?? 'sandbox',
    pagesAddress: 'https://bills.example.com/my-bills',
    privacyAddress: 'https://bills.example.com/privacy',
  }
}
