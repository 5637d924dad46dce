import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import type { Service } from '../packages/services.ts'
import type { ConsumptionBand } from '../rates/rate-card.ts'
import type { ConsumptionBasis } from './household-use.ts'

/**
 * The costs of a line, a household or a tenant, in whole pence. Figures include VAT unless the name says net or VAT.
 * `totalCost` is the cost of the whole contract term plus set-up. Weekly, monthly and yearly costs exclude set-up.
 * `totalVat` is the VAT that
 * `totalCost` includes, and `totalNet` = totalCost − totalVat. The same applies to the set-up figures.
 */
export interface CostFigures {
  weeklyCost: Pence
  monthlyCost: Pence
  yearlyCost: Pence
  totalCost: Pence
  totalNet: Pence
  totalVat: Pence
  setupCost: Pence
  setupNet: Pence
  setupVat: Pence
}

/** A VAT rate, and the first and last day on which it applies. */
export interface VatPeriod {
  /** The rate as a fraction, e.g. "0.05". */
  rate: string
  from: IsoDate
  to: IsoDate
}

/** One priced line: an energy package or a broadband product. */
export interface PricedLine extends CostFigures {
  packageId: string
  /** The broadband product; null for energy. */
  productId: string | null
  type: Service
  name: string
  startDate: IsoDate
  endDate: IsoDate
  vatRates: VatPeriod[]
  /** The VAT rate for set-up, which is that of the contract's first day, e.g. "0.2". */
  setupVatRate: string
  /** Present if the line was priced at the two rates of a meter with two registers. */
  registers?: 'two_rate'
}

/**
 * One tenant's share. `lines[i]` is the tenant's share of the household's `lines[i]`. The other figures are the sums of
 * the tenant's lines.
 */
export interface TenantShare extends CostFigures {
  tenantId: Id<'tenant'>
  lines: CostFigures[]
}

/** A quote's price. It is stored with the quote, and code that displays the price never recalculates it. */
export interface QuotePrice extends CostFigures {
  quotingToolVersionId: string
  /** The GSP group whose rates were used, or "GB". */
  region: string
  consumptionBand: ConsumptionBand
  /**
   * What the use was assumed for. Absent if the figures are those of `consumptionBand`, as on every card without
   * further tables.
   */
  consumptionBasis?: ConsumptionBasis
  /** The assumed yearly use of each metered service on the card, e.g. `electricityKwhPerYear`. */
  [use: `${string}PerYear`]: number
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  /** The day of the month on which each billing month starts, 1–28. */
  billingDay: number
  lines: PricedLine[]
  /**
   * Services whose package is selected but that nothing is supplied of, such as broadband without a main line. Absent
   * if there are none.
   */
  notIncluded?: Service[]
  /** One share for each tenant: the lead tenant's first, then the others' in the order in which they joined. */
  shares: TenantShare[]
}
