import { readFileSync } from 'node:fs'
import { isoDate } from '../../platform/kernel/dates.ts'
import { pence } from '../../platform/kernel/money.ts'
import { type HolidayDivision, parseBankHolidays } from '../../platform/kernel/working-days.ts'
import { sumCosts } from '../../quoting/pricing/cost-figures.ts'
import type { CostFigures, PricedLine, TenantShare } from '../../quoting/pricing/price.ts'
import { type PlannedPayment, planPayments } from './plan-payments.ts'

/** The bank holidays that are shipped with the service. */
export const holidays = parseBankHolidays(
  readFileSync(new URL('../../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)

/** One line of a tenant's share, in pence. It is charged from the contract start unless it starts later. */
interface LineInput {
  monthly: number
  /** The cost of the whole term plus set-up. */
  total: number
  setup?: number
  startsOn?: string
}

export interface PlanInput {
  contract: [from: string, to: string]
  lines: LineInput[]
  today: string
  billingDay?: number
  division?: HolidayDivision
}

/** The payment plan of a household's only tenant, whose share consists of these lines. */
export function planFor({
  contract,
  lines,
  today,
  billingDay = 1,
  division = 'england-and-wales',
}: PlanInput): PlannedPayment[] {
  const from = isoDate(contract[0])
  const to = isoDate(contract[1])
  const own = lines.map(({ monthly, total, setup = 0 }): CostFigures => {
    const [monthlyCost, totalCost, setupCost] = [pence(monthly), pence(total), pence(setup)]
    return { ...sumCosts([]), monthlyCost, totalCost, setupCost }
  })
  const share: TenantShare = { tenantId: 'tenant_lead', ...sumCosts(own), lines: own }
  const priced = lines.map(
    ({ startsOn = from }, index): PricedLine => ({
      ...(own[index] ?? sumCosts([])),
      packageId: 'package',
      productId: null,
      type: 'broadband',
      name: 'Name',
      startDate: isoDate(startsOn),
      endDate: to,
      vatRates: [],
      setupVatRate: '0.2',
    }),
  )
  return planPayments({
    share,
    lines: priced,
    contractStartDate: from,
    contractEndDate: to,
    billingDay,
    today: isoDate(today),
    division,
    holidays,
  })
}

/** The date, amount and period of each payment. */
export function summaries(payments: PlannedPayment[]): [string, number, string, string][] {
  return payments.map(({ date, amount, periodStart, periodEnd }) => [date, amount, periodStart, periodEnd])
}

export const kindsOf = (payments: PlannedPayment[]) => payments.map(({ kind }) => kind)
export const descriptionsOf = (payments: PlannedPayment[]) => payments.map(({ description }) => description)
