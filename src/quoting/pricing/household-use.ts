import type { Consumption, ConsumptionBand, YearlyUse } from '../rates/rate-card.ts'

/**
 * A household's consumption band (docs/api-behaviour.md#consumption): 1 person is low, 2 or 3 medium, 4 or more high.
 * Counts the tenants or, if there are none yet, the bedrooms. Medium if neither is known.
 * @internal Tested alone.
 */
export function consumptionBand(tenants: number, bedrooms: number | null): ConsumptionBand {
  const people = tenants > 0 ? tenants : bedrooms
  if (people === null) return 'medium'
  if (people <= 1) return 'low'
  return people <= 3 ? 'medium' : 'high'
}

/** What the assumed use depends on, if the rate card says more than the three bands. */
export interface ConsumptionBasis {
  /** The number of occupants whose figures were used, 1–12; null if they are those of a band. */
  occupants: number | null
  /** Whether the figures are those of a home without gas. */
  withoutGas: boolean
}

interface HouseholdUse {
  band: ConsumptionBand
  use: YearlyUse
  /** Undefined if the figures are those of a band. */
  basis: ConsumptionBasis | undefined
}

const mostOccupants = 12

/**
 * A household's assumed yearly use (docs/api-behaviour.md#consumption): for each service, the most specific figure of
 * the rate card. Figures for homes without gas come before those for any home, and figures for the number of occupants
 * before those of a band. Bedrooms stand for occupants while there are no tenants.
 */
export function householdUse(
  consumption: Consumption,
  { tenants, bedrooms, hasGas }: { tenants: number; bedrooms: number | null; hasGas: boolean },
): HouseholdUse {
  const band = consumptionBand(tenants, bedrooms)
  const people = tenants > 0 ? tenants : bedrooms
  const count = people === null ? null : Math.min(Math.max(people, 1), mostOccupants)
  const withoutGas = hasGas ? undefined : consumption.withoutGas
  const ofOccupants = (table: Pick<Consumption, 'occupants'> | undefined) =>
    count === null ? undefined : table?.occupants?.[count]
  const use = {
    ...consumption[band],
    ...ofOccupants(consumption),
    ...withoutGas?.[band],
    ...ofOccupants(withoutGas),
  }
  const usesOccupants = ofOccupants(withoutGas ?? consumption) !== undefined
  const isBand = !usesOccupants && withoutGas === undefined
  const basis = { occupants: usesOccupants ? count : null, withoutGas: withoutGas !== undefined }
  return { band, use, basis: isBand ? undefined : basis }
}
