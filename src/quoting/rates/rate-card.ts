import Type, { type Static, type TProperties } from 'typebox'
import type { MeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import { maxPackages } from '../packages/package.ts'
import { type Service, serviceNames, serviceRow } from '../packages/services.ts'

/** Decimal figures are strings, so that they are never converted to binary floating point: `"26.32"` is 26.32 pence. */
const Decimal = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$', description: 'a decimal figure, e.g. "26.32"' })
const VatRate = Type.String({ pattern: '^0(\\.\\d{1,4})?$', description: 'a VAT rate as a fraction, e.g. "0.05"' })
const Share = Type.String({ pattern: '^(0(\\.\\d{1,4})?|1)$', description: 'a share as a fraction, e.g. "0.42"' })
const Day = Type.String({ format: 'date' })
const idPattern = '^[a-z][a-z0-9-]{2,59}$'

/** Whether the text has the form of a quotingToolVersionId. No path of a file that ends in `.json` has it. */
export function isRateCardId(text: string): boolean {
  return new RegExp(idPattern).test(text)
}

const PenceAmount = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'whole pence, including VAT' })

/** What a meter with two registers is charged: pence per unit by day and by night, and pence per day. */
const TwoRate = closed({ dayRate: Decimal, nightRate: Decimal, nightShare: Share, standingCharge: Decimal })

/**
 * One region's published figures: pence per unit and pence per day, both including VAT at `vatRate`. `twoRate` has those
 * of a meter with two registers, and the share of the use that is assumed to be at night.
 */
export const RegionalRate = closed({
  ...{ unitRate: Decimal, standingCharge: Decimal, vatRate: VatRate },
  twoRate: Type.Optional(TwoRate),
})
export type RegionalRate = Static<typeof RegionalRate>

/** A VAT rate that applies from `from` until the `from` of the next entry. The first entry has no `from`. */
export const DatedVatRate = Type.Object({ from: Type.Optional(Day), rate: VatRate }, { additionalProperties: false })
export type DatedVatRate = Static<typeof DatedVatRate>

/** One package in a rate card. */
export interface RateCardPackage {
  packageId: string
  type: Service
  name: string
  description: string
  isDefault: boolean
  /** The rates of a metered service, keyed by region. `GB` covers every region without its own rates. */
  rates?: Record<string, RegionalRate>
  /** The set-up fee in pence, including VAT. It is charged once, when the contract starts. */
  setupFee: number
}

export type ConsumptionBand = 'low' | 'medium' | 'high'
export const consumptionBands: readonly ConsumptionBand[] = ['low', 'medium', 'high']

/** The keys of a table by occupants. A quote has at most twelve tenants. */
const occupantCounts = Array.from({ length: 12 }, (_, index) => String(index + 1))

/** The yearly use of a whole household, keyed by the service's `useKey`. */
export type YearlyUse = Record<string, number>

/** The use of households of every size: in three bands and, optionally, for each number of occupants, "1" to "12". */
interface ConsumptionTable extends Record<ConsumptionBand, YearlyUse> {
  occupants?: Record<string, YearlyUse>
}

/** A card's consumption. `withoutGas` holds the services that a home without a gas meter uses more or less of. */
export interface Consumption extends ConsumptionTable {
  withoutGas?: ConsumptionTable
}

/**
 * A published rate card. Partners call it a quoting tool version. It is immutable once published. The file that
 * `housebill rates publish` reads has exactly this shape.
 */
export interface RateCard {
  /** The quotingToolVersionId, which is unique for every card. */
  id: string
  name: string
  /** A description of where the figures come from. */
  source: string
  /** The first and last day on which the card is on sale. Either may be absent. */
  onSaleFrom?: string
  onSaleTo?: string
  /** The first and last day for which the figures were published, such as a quarter. Absent if they have no end. */
  publishedFor?: { from: string; to: string }
  packages: RateCardPackage[]
  consumption: Consumption
  /** The VAT rates of each service, keyed by service. The key `fees` holds the VAT rates of set-up fees. */
  vat: Record<string, DatedVatRate[]> & { fees: DatedVatRate[] }
}

/**
 * The schema of a rate card file. `rateCardProblems` checks the rest, because the figures that a card needs depend on
 * what it sells.
 */
export function rateCardSchema() {
  const supplies = serviceNames().flatMap((name) => serviceRow(name).metered ?? [])
  const regions = [...new Set(supplies.map(({ region }) => region.pattern)), allRegionsKey].join('|')
  const yearlyUse = Type.Integer({ minimum: 0, maximum: 1_000_000 })
  const consumption = closed(Object.fromEntries(supplies.map(({ useKey }) => [useKey, Type.Optional(yearlyUse)])))
  const occupants = Type.Optional(closed(Object.fromEntries(occupantCounts.map((count) => [count, consumption]))))
  const bands = { low: consumption, medium: consumption, high: consumption, occupants }
  const vatRates = Type.Array(DatedVatRate, { minItems: 1 })
  const vatOfServices = serviceNames().map((service) => [service, Type.Optional(vatRates)])
  return Type.Unsafe<RateCard>(
    closed({
      id: Type.String({ pattern: idPattern, description: 'the quotingToolVersionId, unique for every card' }),
      name: Type.String({ minLength: 1, maxLength: 200 }),
      source: Type.String({ minLength: 1, maxLength: 1_000, description: 'where the figures come from, in words' }),
      onSaleFrom: Type.Optional(Day),
      onSaleTo: Type.Optional(Day),
      publishedFor: Type.Optional(closed({ from: Day, to: Day })),
      packages: Type.Array(
        closed({
          packageId: Type.String({ pattern: idPattern }),
          type: Type.Enum(serviceNames()),
          name: Type.String({ minLength: 1, maxLength: 100 }),
          description: Type.String({ minLength: 1, maxLength: 500 }),
          isDefault: Type.Boolean(),
          rates: Type.Optional(
            Type.Record(Type.String({ pattern: `^(${regions})$` }), RegionalRate, { additionalProperties: false }),
          ),
          setupFee: PenceAmount,
        }),
        { minItems: 1, maxItems: maxPackages },
      ),
      consumption: closed({ ...bands, withoutGas: Type.Optional(closed(bands)) }),
      vat: closed({ ...Object.fromEntries(vatOfServices), fees: vatRates }),
    }),
  )
}

/** The key of the rates that apply to every region without its own rates. */
export const allRegionsKey = 'GB'

/**
 * A package's rates in a region; undefined if it is not sold there. `twoRate` is in them only if the meter has two
 * registers and the card has two rates: then its standing charge is the one that applies.
 */
export function rateFor(
  rates: RateCardPackage['rates'],
  region: string,
  registers?: MeterFacts['registers'],
): RegionalRate | undefined {
  const found = rates?.[region] ?? rates?.[allRegionsKey]
  if (found?.twoRate === undefined) return found
  const { twoRate, ...single } = found
  return registers === 'two_rate' ? { ...found, standingCharge: twoRate.standingCharge } : single
}

/** The VAT rates of a service. Throws RangeError if the card does not sell it. */
export function vatRatesOf({ vat }: Pick<RateCard, 'vat'>, service: Service): readonly DatedVatRate[] {
  const rates = vat[service]
  if (rates === undefined) throw new RangeError(`the rate card has no VAT rates for ${service}`)
  return rates
}

function closed<Fields extends TProperties>(properties: Fields) {
  return Type.Object(properties, { additionalProperties: false })
}
