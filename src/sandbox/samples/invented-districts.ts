import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { distributionRegions } from '../../properties/postcodes/distribution-regions.ts'
import { regionOfArea } from '../../properties/postcodes/postcode.ts'

/** A postcode district in which properties are invented, such as `NR4`. */
export interface InventedDistrict {
  name: string
  town: string
  county: string
  country: string
  distributorId: string
}

const file = new URL('../../../reference-data/postcode-areas.csv', import.meta.url)

/**
 * The districts of every postcode area in `reference-data/postcode-areas.csv`, which has about as many districts for
 * each area as there really are. The first 14 are in different distribution regions, so that even a small file has
 * properties in all of them.
 */
export function listInventedDistricts(): InventedDistrict[] {
  const rows = parse<Record<string, string>>(readFileSync(file, 'utf8'), { columns: true })
  const areas = distributionRegions.flatMap(({ gspGroup, distributorId }) =>
    rows
      .filter(({ area = '' }) => regionOfArea(area) === gspGroup)
      .map(({ area = '', districts, town = '', county = '', country = '' }, placeInRegion) => ({
        ...{ area, districts: Number(districts), town, county, country, distributorId, placeInRegion },
      })),
  )
  areas.sort((one, other) => one.placeInRegion - other.placeInRegion)
  const most = Math.max(...areas.map(({ districts }) => districts))
  return Array.from({ length: most }, (_, index) => index + 1).flatMap((number) =>
    areas
      .filter(({ districts }) => number <= districts)
      .map(({ area, town, county, country, distributorId }) => ({
        ...{ name: `${area}${number}`, town, county, country, distributorId },
      })),
  )
}
