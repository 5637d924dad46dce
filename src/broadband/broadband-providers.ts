import type { IsoDate } from '../platform/kernel/dates.ts'
import type { Property } from '../properties/property.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'

/** What broadband upstreams receive about a property: enough to find it, but nothing about its tenants. */
export type PropertyLocation = Pick<Property, 'uprn' | 'postcode'>

/** The network records of one property. */
export interface BroadbandRecord {
  /** Whether any network can supply broadband. */
  available: boolean
  /** The fastest download speed of any network, in Mbps; 0 if there is none. */
  maxSpeedMbps: number
}

/** An external database of broadband networks. It records what broadband a property can have from any provider. */
export interface BroadbandDatabase {
  /** Throws `UpstreamFailure` if there is no usable response. `signal` aborts the call. */
  findLine(property: PropertyLocation, signal?: AbortSignal): Promise<BroadbandRecord>
}

/** The installation to find dates for. */
export interface InstallationRequest {
  /** The products to install together. */
  productIds: readonly string[]
  /** The day of the order, which is when the provider starts to count its notice period. */
  orderDate: IsoDate
  /** The first day on which the installation is acceptable. */
  earliest: IsoDate
}

/** The home telecom provider: which products it sells at a property, and when it can install them. */
export interface HomeTelecom {
  /**
   * Lists every product that the provider sells at this property; may be empty. Ids are distinct and stable while the
   * product is sold. Throws `UpstreamFailure` if there is no usable response. `signal` aborts the call.
   */
  listProducts(property: PropertyLocation, signal?: AbortSignal): Promise<BroadbandProduct[]>

  /**
   * Lists the days on which the provider can install the products, in any order. None is before `earliest`. May be
   * empty. Throws
   * `UpstreamFailure` if there is no usable response.
   */
  listInstallDates(property: PropertyLocation, request: InstallationRequest): Promise<IsoDate[]>
}
