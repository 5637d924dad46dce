import { type AddressSupplierName, addressSupplierNames } from '../platform/config/address-source.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { distributionRegions, type GspGroup } from './postcodes/distribution-regions.ts'
import { regionOf } from './postcodes/region.ts'
import { countByAreaAndDistributor } from './properties.store.ts'
import type { PropertySource } from './property.ts'

export interface AddressStats {
  properties: number
  bySource: Record<PropertySource, number>
  /** All 14 regions, including those without properties. */
  byRegion: { region: GspGroup; name: string; properties: number }[]
  /** Properties that cannot be priced, because neither their MPAN nor their postcode belongs to a region. */
  withoutRegion: number
}

/** `housebill addresses stats`: counts the properties in the database by source and by region. */
export async function getAddressStats(db: Database): Promise<AddressStats> {
  const suppliers = Object.fromEntries(addressSupplierNames.map((name) => [name, 0])) as Record<
    AddressSupplierName,
    number
  >
  const bySource: Record<PropertySource, number> = { sample: 0, import: 0, ...suppliers }
  const byRegion = new Map<GspGroup | null, number>()
  const counts = await inTransaction(db, {}, countByAreaAndDistributor)
  for (const { source, postcodeStart, distributorId, properties } of counts) {
    bySource[source] += properties
    const region = regionOf({ mpan: distributorId, postcode: postcodeStart })
    byRegion.set(region, (byRegion.get(region) ?? 0) + properties)
  }
  return {
    properties: Object.values(bySource).reduce((total, each) => total + each, 0),
    bySource,
    byRegion: distributionRegions.map(({ gspGroup, name }) => ({
      region: gspGroup,
      name,
      properties: byRegion.get(gspGroup) ?? 0,
    })),
    withoutRegion: byRegion.get(null) ?? 0,
  }
}
