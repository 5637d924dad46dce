import { after, beforeEach } from 'node:test'
import type { AddressSupplierName } from '../../src/platform/config/address-source.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { databaseMeterPointSource } from '../../src/properties/address-suppliers/address-database.ts'
import {
  type CachedAddressSource,
  createCachedAddressSource,
} from '../../src/properties/address-suppliers/cached-address-source.ts'
import type { AddressSupplier, SuppliedProperty } from '../../src/properties/address-suppliers/supplied-properties.ts'
import { createAddressDatabase } from './address-database.ts'

/** A cached address source with a separate clock and database. The test sets what its supplier returns. */
export interface CachedAddresses {
  database: Database & { connectionString: string }
  addresses: CachedAddressSource
  /** Sets what the supplier returns from now on, for any postcode. */
  supply(answer: SuppliedProperty[] | UpstreamFailure | Promise<SuppliedProperty[]>): void
  /** The postcodes requested from the supplier. */
  asked: string[]
  logged: { fields: object; message: string }[]
  passDays(days: number): void
  /** Returns a second source that uses the same tables. */
  another(name?: AddressSupplierName): CachedAddressSource
}

export const postcode = 'SO16 0AS'

export function suppliedProperty(uprn: string, change: Partial<SuppliedProperty> = {}): SuppliedProperty {
  return {
    addressLine1: `${uprn} Adanac Drive`,
    addressLine2: '',
    city: 'Southampton',
    county: '',
    country: 'England',
    postcode,
    uprn,
    ...change,
  }
}

export const supplierDown = new UpstreamFailure(
  'os-places',
  'unreachable',
  'GET /search/places got no response (ECONNREFUSED)',
)

export async function createCachedAddresses(maxWaitMs: number): Promise<CachedAddresses> {
  const database = await createAddressDatabase()
  let answer: SuppliedProperty[] | UpstreamFailure | Promise<SuppliedProperty[]> = []
  let now = new Date('2026-11-02T10:00:00Z')
  const asked: string[] = []
  const logged: { fields: object; message: string }[] = []
  const supplierNamed = (name: AddressSupplierName): AddressSupplier => ({
    name,
    async listProperties(wanted) {
      asked.push(wanted)
      if (answer instanceof UpstreamFailure) throw answer
      return answer
    },
  })
  const open: CachedAddressSource[] = []
  const another = (name: AddressSupplierName = 'os-places') => {
    const source = createCachedAddressSource({
      db: database,
      supplier: supplierNamed(name),
      meterPoints: databaseMeterPointSource(database),
      clock: { now: () => now },
      log: { warn: (fields, message) => logged.push({ fields, message }) },
      maxWaitMs,
    })
    open.push(source)
    return source
  }
  const addresses = another()
  beforeEach(async () => {
    await Promise.all(open.map((source) => source.settled()))
    for (const table of [sql`properties`, sql`address_lookups`, sql`meter_points`]) {
      await database.query(sql`delete from ${table}`)
    }
    asked.length = 0
    logged.length = 0
  })
  after(() => Promise.all(open.map((source) => source.settled())))
  return {
    database,
    addresses,
    asked,
    logged,
    another,
    supply: (next) => {
      answer = next
    },
    passDays: (days) => {
      now = new Date(now.getTime() + days * 86_400_000)
    },
  }
}
