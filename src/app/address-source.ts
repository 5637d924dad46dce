import type { Logger } from 'pino'
import type { SupplierName } from '../platform/config/address-source.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { Upstream } from '../platform/outbound/upstream.ts'
import type { AddressSource } from '../properties/address-source.ts'
import { databaseAddressSource, databaseMeterPointSource } from '../properties/address-suppliers/address-database.ts'
import { createCachedAddressSource } from '../properties/address-suppliers/cached-address-source.ts'
import type { AddressSupplier } from '../properties/address-suppliers/supplied-properties.ts'
import type { OpenUpstream } from './open-upstream.ts'

interface AddressSourceDeps {
  config: Config
  secrets: Secrets
  db: Database
  clock: Clock
  log: Logger
  open: OpenUpstream
}

/** The client of each supplier. Imported only if used: most deployments need none. */
const suppliers: Record<SupplierName, (open: (ownBase: string) => Upstream, key: string) => Promise<AddressSupplier>> =
  {
    async 'ideal-postcodes'(open, key) {
      const { createIdealPostcodes, idealPostcodesBase } = await import(
        '../properties/address-suppliers/ideal-postcodes.ts'
      )
      return createIdealPostcodes(open(idealPostcodesBase), key)
    },
    async 'os-places'(open, key) {
      const { createOsPlaces, osPlacesBase } = await import('../properties/address-suppliers/os-places/os-places.ts')
      return createOsPlaces(open(osPlacesBase), key)
    },
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
  const openSupplier = (ownBase: string) => open(source, apiBase ?? ownBase, { maxBytes })
  const supplier = await suppliers[source](openSupplier, secrets.addressSourceKey ?? '')
  const cached = createCachedAddressSource({ db, supplier, meterPoints: databaseMeterPointSource(db), clock, log })
  closers.push(cached.settled)
  return cached
}
