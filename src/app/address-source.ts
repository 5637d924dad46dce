import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { AddressSource } from '../properties/address-source.ts'
import { databaseAddressSource, databaseMeterPointSource } from '../properties/address-suppliers/address-database.ts'
import type { AddressSupplier } from '../properties/address-suppliers/address-supplier.ts'
import { createCachedAddressSource } from '../properties/address-suppliers/cached-address-source.ts'
import { createOsPlaces, osPlacesBase, osPlacesName } from '../properties/address-suppliers/os-places/os-places.ts'
import type { OpenUpstream } from './open-upstream.ts'

interface AddressSourceDeps {
  config: Config
  secrets: Secrets
  db: Database
  clock: Clock
  log: Logger
  open: OpenUpstream
}

/** A hundred addresses with all the details that a supplier returns take about 200 KB. */
const maxBytes = 1024 * 1024

/** The source of properties: our own tables, or a supplier, whose results are stored in these tables. */
export async function connectAddressSource(
  { config, secrets, db, clock, log, open }: AddressSourceDeps,
  closers: (() => Promise<void>)[],
): Promise<AddressSource> {
  const { source, apiBase } = config.addresses
  if (source === 'database') return databaseAddressSource(db)
  const key = secrets.addressSourceKey ?? ''
  const supplierOver = async (): Promise<AddressSupplier> => {
    const openSupplier = (name: string, ownBase: string) => open(name, apiBase ?? ownBase, { maxBytes })
    if (source === 'os-places') return createOsPlaces(openSupplier(osPlacesName, osPlacesBase), key)
    // Imported only if used: most deployments do not need these modules.
    const { createIdealPostcodes, idealPostcodesBase, idealPostcodesName } = await import(
      '../properties/address-suppliers/ideal-postcodes/ideal-postcodes.ts'
    )
    return createIdealPostcodes(openSupplier(idealPostcodesName, idealPostcodesBase), key)
  }
  const supplier = await supplierOver()
  const cached = createCachedAddressSource({ db, supplier, meterPoints: databaseMeterPointSource(db), clock, log })
  closers.push(cached.settled)
  return cached
}
