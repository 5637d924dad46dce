import { distributorId } from '../meter-points/meter-points.ts'
import { distributionRegions, type GspGroup } from './distribution-regions.ts'
import { postcodeArea, regionOfArea } from './postcode.ts'

const regionByDistributor = new Map(distributionRegions.map((region) => [region.distributorId, region.gspGroup]))
const nameByRegion = new Map(distributionRegions.map((region) => [region.gspGroup, region.name]))

/**
 * The facts that determine a property's region. Only the first two digits of `mpan` matter. `postcode` must be
 * normalised.
 */
interface MeterAndPostcode {
  mpan: string | null
  postcode: string
}

/**
 * The region whose rates apply to a property. The region follows from the MPAN's distributor. An independent network's
 * MPAN (24 and above) does not identify the region, so the postcode area is used instead, as it is for a property
 * without electricity. Null if neither is known: the property cannot be served.
 */
export function regionOf(property: MeterAndPostcode): GspGroup | null {
  const byMeter = property.mpan === null ? undefined : regionByDistributor.get(distributorId(property.mpan))
  return byMeter ?? regionOfArea(postcodeArea(property.postcode))
}

/** The region's display name, e.g. `Eastern`. */
export function regionName(region: GspGroup): string {
  return nameByRegion.get(region) ?? region
}
