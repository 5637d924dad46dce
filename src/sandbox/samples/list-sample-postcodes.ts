import type { Queryable } from '../../platform/db/database.ts'
import type { GspGroup } from '../../properties/postcodes/distribution-regions.ts'
import { regionName, regionOf } from '../../properties/postcodes/region.ts'
import { countSamplesByPostcode } from '../../properties/properties.store.ts'
import type { AddressSource } from '../../properties/property.ts'
import { readSamplePlaces } from './sample-postcodes.ts'
import { specialCasePostcode } from './special-case.ts'

const samplePostcodes = [...readSamplePlaces().map(({ postcode }) => postcode), specialCasePostcode]

export interface SamplePostcode {
  postcode: string
  region: GspGroup
  /** The region's display name. */
  regionName: string
  /** How many sample properties are at the postcode. */
  properties: number
}

/**
 * GET /Sandbox/postcodes. Lists the postcodes with sample properties in alphabetical order, each with the region of
 * most of its properties. Empty if the sandbox uses an address supplier: samples from an earlier configuration may
 * still be stored, but no lookup returns them.
 */
export async function listSamplePostcodes({
  db,
  addresses,
}: {
  db: Queryable
  addresses: AddressSource
}): Promise<SamplePostcode[]> {
  if (!addresses.hasSamples) return []
  const counts = new Map<string, Map<GspGroup, number>>()
  for (const { postcode, distributorId, properties } of await countSamplesByPostcode(db, samplePostcodes)) {
    const region = regionOf({ mpan: distributorId, postcode })
    if (region === null) continue
    const byRegion = counts.get(postcode) ?? new Map<GspGroup, number>()
    counts.set(postcode, byRegion.set(region, (byRegion.get(region) ?? 0) + properties))
  }
  return [...counts].flatMap(([postcode, byRegion]) => {
    const [largest] = [...byRegion].sort(([, a], [, b]) => b - a)
    if (largest === undefined) return []
    const properties = [...byRegion.values()].reduce((total, each) => total + each, 0)
    return { postcode, region: largest[0], regionName: regionName(largest[0]), properties }
  })
}
