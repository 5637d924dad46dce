import type { ConsumptionBand } from '../rates/rate-card.ts'

/**
 * A household's consumption band (docs/api-behaviour.md#consumption): 1 person is low, 2 or 3 medium, 4 or more high.
 * Counts the tenants or, if there are none yet, the bedrooms. Medium if neither is known.
 */
export function consumptionBand(tenants: number, bedrooms: number | null): ConsumptionBand {
  const people = tenants > 0 ? tenants : bedrooms
  if (people === null) return 'medium'
  if (people <= 1) return 'low'
  return people <= 3 ? 'medium' : 'high'
}
