import type { ConsumptionBand } from '../rates/rate-card.ts'

/**
 * The band whose consumption a household is priced for (decisions §4): 1 is low, 2 and 3 medium, 4 and more high. It
 * goes by tenants; before there are any, by bedrooms; where neither is known it is medium.
 */
export function consumptionBand(tenants: number, bedrooms: number | null): ConsumptionBand {
  const people = tenants > 0 ? tenants : bedrooms
  if (people === null) return 'medium'
  if (people <= 1) return 'low'
  return people <= 3 ? 'medium' : 'high'
}
