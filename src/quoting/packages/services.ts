import type { MeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import type { MeterPoints } from '../../properties/meter-points/meter-points.ts'
import { distributionRegions } from '../../properties/postcodes/distribution-regions.ts'

/** The facts about a property that determine which services it can have and which rates apply. */
export interface ServiceableProperty {
  /** What is known of its meters and heating; nothing if absent. */
  meter?: MeterFacts | null
  address: MeterPoints & { country: string }
  /** The property's GSP group (electricity distribution region). */
  region: string
}

/**
 * How a rate card identifies the regions of a service. Every service also accepts the key `GB`, which covers regions
 * without their own rates.
 */
interface RegionKey {
  /** A regular expression, without anchors, that matches the region keys. */
  pattern: string
  of(property: ServiceableProperty): string
  /** The display name, e.g. "Eastern". */
  nameOf(key: string): string
}

/** The details of a service that is priced from an assumed consumption and a rate card's published rates. */
export interface MeteredSupply {
  /**
   * The name of this service's yearly use in a rate card's consumption bands: the service and its unit. A price stores
   * the use as `<useKey>PerYear`.
   */
  useKey: string
  /** The column of the supply file with the use. Services with the same unit share one. */
  useColumn: string
  /**
   * The unit in which use is measured and priced, e.g. "kWh". All services in a contract section have the same unit.
   */
  unit: string
  /** The meter that a property must have for this service; null if the service needs none. */
  meter: { field: keyof MeterPoints; name: string } | null
  /** The heating of homes that are not offered this service, whatever meters they are said to have. */
  notWithHeating?: MeterFacts['heating']
  /** Whether its meters can have two registers, so that a rate card can have two rates for it. */
  hasTwoRates?: boolean
  region: RegionKey
  plausible: PlausibleFigures
}

/**
 * What a rate card's figures are expected to be, in pence including VAT. A card with other figures can be published,
 * with a warning. Limits are about three times as far apart as real tariffs and homes, so that they catch pounds sent
 * as pence, swapped columns and a digit too many.
 */
interface PlausibleFigures {
  /** Pence per unit. */
  unitRate: readonly [from: number, to: number]
  /** Pence per day. */
  standingCharge: readonly [from: number, to: number]
  /** The use of a whole household in a year, in units. */
  use: readonly [from: number, to: number]
}

/**
 * Everything that makes one service different from another. The key of the row is the service's name. A rate card's
 * `vat` and the operator's `suppliers` use this name as a key, and the API uses it as a `type`.
 */
export interface ServiceRow {
  /** How a metered service is priced; null if the service is priced by its products. */
  metered: MeteredSupply | null
  /** The contract section that holds the service's terms: a key of `contractSections`. */
  contractSection: string
}

/** Services by name, in the order in which prices and documents list them. */
export type ServiceTable = Readonly<Record<string, ServiceRow>>

/** The electricity distribution regions, which Ofgem's price cap uses for gas as well. */
const gspGroup: RegionKey = {
  pattern: '_[A-HJ-NP]',
  of: ({ region }) => region,
  nameOf: (key) => distributionRegions.find((region) => region.gspGroup === key)?.name ?? key,
}

/** The services that a household can buy. To sell another one, see contributing/common-changes.md. */
export const services = {
  electricity: {
    metered: {
      useKey: 'electricityKwh',
      useColumn: 'kwhPerYear',
      unit: 'kWh',
      meter: { field: 'mpan', name: 'MPAN' },
      hasTwoRates: true,
      region: gspGroup,
      // The price cap of 2026 is about 26p and 55p; Ofgem's typical households use 1,800 to 4,100 kWh.
      plausible: { unitRate: [10, 80], standingCharge: [10, 150], use: [600, 20_000] },
    },
    contractSection: 'energy',
  },
  gas: {
    metered: {
      useKey: 'gasKwh',
      useColumn: 'kwhPerYear',
      unit: 'kWh',
      meter: { field: 'mprn', name: 'MPRN' },
      notWithHeating: 'heat_network',
      region: gspGroup,
      // The price cap of 2026 is about 8p and 30p; Ofgem's typical households use 7,500 to 17,000 kWh.
      plausible: { unitRate: [2, 25], standingCharge: [10, 100], use: [2_000, 60_000] },
    },
    contractSection: 'energy',
  },
  broadband: { metered: null, contractSection: 'broadband' },
} as const satisfies ServiceTable

export type Service = keyof typeof services

/** The names of a table's services, in the table's order. */
export function serviceNames(table: ServiceTable = services): Service[] {
  return Object.keys(table) as Service[]
}

/** A service's row. Throws RangeError for a service that is not in the table. */
export function serviceRow(service: string, table: ServiceTable = services): ServiceRow {
  const row = Object.hasOwn(table, service) ? table[service] : undefined
  if (row === undefined) throw new RangeError(`unknown service ${service}`)
  return row
}
