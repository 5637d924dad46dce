import type { ConsumptionBand } from '../rates/rate-card.ts'

/**
 * The consumption band a household is priced for (docs/api-behaviour.md#consumption): 1 is low, 2 and 3 medium, 4 and
 * more high. It counts tenants; before there are any, bedrooms; if neither is known it is medium.
 */
export function consumptionBand(tenants: number, bedrooms: number | null): ConsumptionBand {
  const people = tenants > 0 ? tenants : bedrooms
  if (people === null) return 'medium'
  if (people <= 1) return 'low'
  return people <= 3 ? 'medium' : 'high'
}
