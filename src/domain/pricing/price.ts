import type { IsoDate } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Pence } from '../../kernel/money.ts'
import { type Service, serviceRow } from '../packages/services.ts'
import type { ConsumptionBand } from '../rates/rate-card.ts'

/**
 * The figures of a line, a household or one tenant. All whole pence, VAT included unless the name says net or VAT.
 * `totalCost` is the whole contract term plus set-up; set-up is in no periodic figure.
 * `totalVat` is the VAT within `totalCost` (set-up's included), `totalNet` = totalCost − totalVat; likewise for set-up.
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

/** A VAT rate over a stretch of the term; both days belong to it. */
export interface VatPeriod {
  /** As a fraction: "0.05". */
  rate: string
  from: IsoDate
  to: IsoDate
}

/** One product of the household: an energy package, a broadband product, or a broadband package without a product (all 0). */
export interface PricedLine extends CostFigures {
  packageId: string
  /** The broadband product; null for energy and for a broadband package without a product. */
  productId: string | null
  type: Service
  name: string
  startDate: IsoDate
  endDate: IsoDate
  vatRates: VatPeriod[]
  /** VAT on the set-up fee, by the contract's first day: "0.2". */
  setupVatRate: string
}

/** One tenant's share: `lines[i]` is the share of the household's `lines[i]`, `total` their sum. */
export interface TenantShare extends CostFigures {
  tenantId: Id<'tenant'>
  lines: CostFigures[]
}

/** Everything agreed when a quote is priced: stored with the quote, shown everywhere, never worked out again for show. */
export interface QuotePrice extends CostFigures {
  quotingToolVersionId: string
  /** GSP group whose figures were used, or "GB". */
  region: string
  consumptionBand: ConsumptionBand
  /** The use assumed of each metered service the card has figures for: `electricityKwhPerYear`. */
  [use: `${string}PerYear`]: number
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  /** Day of the month the bills run from, 1–28. */
  billingDay: number
  lines: PricedLine[]
  /** Lead tenant first, then joining order; empty while the quote has no tenants. */
  shares: TenantShare[]
}

/** Whether a service that costs what its products cost was selected without a product. */
export function lacksProducts(price: QuotePrice): boolean {
  return price.lines.some(({ type, productId }) => productId === null && serviceRow(type).metered === null)
}
