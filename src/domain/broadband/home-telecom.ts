import type { IsoDate } from '../../kernel/dates.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import type { Home } from './home.ts'

/** What an installation is asked for. */
export interface InstallationWish {
  /** The products that are to be installed together. */
  productIds: readonly string[]
  /** The day the order is placed: the provider counts its notice from it. */
  orderDate: IsoDate
  /** The first day wanted. */
  earliest: IsoDate
}

/** The provider of home telecom products: what it sells at a home, and when it can install it. */
export interface HomeTelecom {
  /**
   * Everything it sells at this home, empty where it sells nothing there. Ids are distinct and stay the same for as
   * long as the product is sold. Throws `UpstreamFailure` when it gave no usable answer; `signal` ends the wait.
   */
  listProducts(home: Home, signal?: AbortSignal): Promise<BroadbandProduct[]>

  /** The days on which it can install, none before `earliest`, in any order; possibly none. Throws as above. */
  listInstallDates(home: Home, wish: InstallationWish): Promise<IsoDate[]>
}
