import Type, { type Static } from 'typebox'

/**
 * A published rate card, which partners know as a quoting tool version: immutable once published. The file that
 * `housebill rates publish` takes has exactly this shape. Decimal figures are strings, so that no figure passes
 * through a binary float: `"26.32"` is 26.32 pence.
 */
const Decimal = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$', description: 'a decimal figure, e.g. "26.32"' })
const VatRate = Type.String({ pattern: '^0(\\.\\d{1,4})?$', description: 'a VAT rate as a fraction, e.g. "0.05"' })
const Day = Type.String({ format: 'date' })
const PenceAmount = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'whole pence, including VAT' })

/** One region's published figures: pence per kWh and pence per day, both including VAT at `vatRate`. */
export const RegionalRate = Type.Object(
  { unitRate: Decimal, standingCharge: Decimal, vatRate: VatRate },
  { additionalProperties: false },
)
export type RegionalRate = Static<typeof RegionalRate>

/** VAT from a day on, until the next entry's day. The first entry has no `from`: it has always applied. */
export const DatedVatRate = Type.Object({ from: Type.Optional(Day), rate: VatRate }, { additionalProperties: false })
export type DatedVatRate = Static<typeof DatedVatRate>

export const RateCardPackage = Type.Object(
  {
    packageId: Type.String({ pattern: '^[a-z][a-z0-9-]{2,59}$' }),
    type: Type.Enum(['electricity', 'gas', 'broadband']),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ minLength: 1, maxLength: 500 }),
    isDefault: Type.Boolean(),
    /** By region: the 14 GSP groups `_A` … `_P`, or `GB` for every region without a figure of its own. Energy only. */
    rates: Type.Optional(
      Type.Record(Type.String({ pattern: '^(_[A-HJ-NP]|GB)$' }), RegionalRate, { additionalProperties: false }),
    ),
    /** Charged once when the contract starts. */
    setupFee: PenceAmount,
  },
  { additionalProperties: false },
)
export type RateCardPackage = Static<typeof RateCardPackage>

const Consumption = Type.Object(
  {
    electricityKwh: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    gasKwh: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  },
  { additionalProperties: false },
)

export const RateCard = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z][a-z0-9-]{2,59}$',
      description: 'the quotingToolVersionId, unique for every card',
    }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    source: Type.String({ minLength: 1, maxLength: 1_000, description: 'where the figures come from, in words' }),
    /** First and last day the card may be sold; absent for an open end. */
    onSaleFrom: Type.Optional(Day),
    onSaleTo: Type.Optional(Day),
    packages: Type.Array(RateCardPackage, { minItems: 1, maxItems: 20 }),
    /** kWh a year of a whole household, by band. */
    consumption: Type.Object(
      { low: Consumption, medium: Consumption, high: Consumption },
      { additionalProperties: false },
    ),
    vat: Type.Object(
      {
        electricity: Type.Array(DatedVatRate, { minItems: 1 }),
        gas: Type.Array(DatedVatRate, { minItems: 1 }),
        broadband: Type.Array(DatedVatRate, { minItems: 1 }),
        fees: Type.Array(DatedVatRate, { minItems: 1 }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
export type RateCard = Static<typeof RateCard>

export type ConsumptionBand = keyof RateCard['consumption']

/** Where a card has no figures for a region of its own, those of the whole country. */
export const everyRegion = 'GB'

/** A package's figures for a region; undefined where it is not sold there. */
export function rateFor(rates: RateCardPackage['rates'], region: string): RegionalRate | undefined {
  return rates?.[region] ?? rates?.[everyRegion]
}
