import { distributorId } from '../meter-points/meter-points.ts'
import { distributionRegions, type GspGroup } from './distribution-regions.ts'
import { postcodeArea } from './postcode.ts'
import { regionOfArea } from './postcode-areas.ts'

const regionByDistributor = new Map(distributionRegions.map((region) => [region.distributorId, region.gspGroup]))
const nameByRegion = new Map(distributionRegions.map((region) => [region.gspGroup, region.name]))

/** The facts that determine a property's region. `mpan` needs only its first two digits; `postcode` is normalised. */
interface MeterAndPostcode {
  mpan: string | null
  postcode: string
}

/**
 * The region whose rates apply to a property. The MPAN's distributor decides it. An independent network's MPAN (24 and above)
 * does not identify the region, so the postcode area decides instead, as it does for a property without electricity. Null if
 * neither is known: the property cannot be served.
 */
export function regionOf(property: MeterAndPostcode): GspGroup | null {
  const byMeter = property.mpan === null ? undefined : regionByDistributor.get(distributorId(property.mpan))
  return byMeter ?? regionOfArea(postcodeArea(property.postcode))
}

/** The region's display name, e.g. `Eastern`. */
export function regionName(region: GspGroup): string {
  return nameByRegion.get(region) ?? region
}
