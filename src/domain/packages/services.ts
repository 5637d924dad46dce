import type { MeterPoints } from '../addresses/meter-points/meter-point-source.ts'
import { distributionRegions } from '../addresses/postcodes/distribution-regions.ts'

/** A home as far as it decides what it can be sold and at which rates. */
export interface SuppliedHome {
  address: MeterPoints & { country: string }
  /** Its GSP group. */
  region: string
}

/** How a rate card tells the regions of a service apart. Every service also knows `GB`: all regions without rates of their own. */
export interface RegionKey {
  /** A regular expression for the keys, without anchors. */
  pattern: string
  of(home: SuppliedHome): string
  /** For people: "Eastern". */
  nameOf(key: string): string
}

/** A supply that is priced from an assumed use and a card's published rates. */
export interface MeteredSupply {
  /** The use's name in the bands of a rate card; a price stores it as `<useKey>PerYear`. */
  useKey: string
  /** What is used and what a unit rate is for. The services of one contract section share it. */
  unit: string
  /** The meter without which a home cannot be sold the service; null if it needs none. */
  meter: { field: keyof MeterPoints; name: string } | null
  region: RegionKey
}

/**
 * Everything that makes one service different from another. Its name, the key of its row, is also its key in a rate card's `vat`, in the
 * operator's `suppliers`, and its `type` in the API.
 */
export interface ServiceRow {
  /** Null for a service that costs what the products chosen for it cost. */
  metered: MeteredSupply | null
  /** Which section of the contract holds its terms: a key of `contractSections`. */
  contractSection: string
}

/** Services by name, in the order of every breakdown. */
export type ServiceTable = Readonly<Record<string, ServiceRow>>

/** The electricity distribution regions, which Ofgem's price cap uses for gas as well. */
const gspGroup: RegionKey = {
  pattern: '_[A-HJ-NP]',
  of: ({ region }) => region,
  nameOf: (key) => distributionRegions.find((region) => region.gspGroup === key)?.name ?? key,
}

/**
 * The services a household can buy. To sell another one, see docs/adding-a-service.md.
 */
export const services = {
  electricity: {
    metered: {
      useKey: 'electricityKwh',
      unit: 'kWh',
      meter: { field: 'mpan', name: 'MPAN' },
      region: gspGroup,
    },
    contractSection: 'energy',
  },
  gas: {
    metered: {
      useKey: 'gasKwh',
      unit: 'kWh',
      meter: { field: 'mprn', name: 'MPRN' },
      region: gspGroup,
    },
    contractSection: 'energy',
  },
  broadband: { metered: null, contractSection: 'broadband' },
} as const satisfies ServiceTable

export type Service = keyof typeof services

/** The names of a table's services, in its order. */
export function serviceNames(table: ServiceTable = services): Service[] {
  return Object.keys(table) as Service[]
}

/** A service's row. Throws RangeError for a service that is not in the table. */
export function serviceRow(service: string, table: ServiceTable = services): ServiceRow {
  const row = Object.hasOwn(table, service) ? table[service] : undefined
  if (row === undefined) throw new RangeError(`there is no service ${service}`)
  return row
}
