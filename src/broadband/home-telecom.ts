import type { IsoDate } from '../platform/kernel/dates.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'
import type { PropertyLocation } from './property-location.ts'

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
