import { distributorId } from '../meter-points/meter-points.ts'
import { distributionRegions, type GspGroup } from './distribution-regions.ts'
import { postcodeArea } from './postcode.ts'
import { regionOfArea } from './postcode-areas.ts'

const regionByDistributor = new Map(distributionRegions.map((region) => [region.distributorId, region.gspGroup]))
const nameByRegion = new Map(distributionRegions.map((region) => [region.gspGroup, region.name]))

/** Only the beginning of the MPAN matters, so two digits are enough; `postcode` in its normal form. */
interface Located {
  mpan: string | null
  postcode: string
}

/**
 * The region whose prices apply to a property. The MPAN's distributor decides; an independent network's MPAN (24 and
 * above) says nothing about the place, so it falls back to the postcode area, as a property without electricity does.
 * Null where neither is known: the property cannot be served.
 */
export function regionOf(property: Located): GspGroup | null {
  const byMeter = property.mpan === null ? undefined : regionByDistributor.get(distributorId(property.mpan))
  return byMeter ?? regionOfArea(postcodeArea(property.postcode))
}

/** The region's name for people, e.g. `Eastern`. */
export function regionName(region: GspGroup): string {
  return nameByRegion.get(region) ?? region
}
