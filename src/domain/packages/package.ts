import type { Service } from './services.ts'

/** A package that a quote can select. Ids stay the same across rate cards. The broadband package is priced by its products. */
export interface Package {
  packageId: string
  type: Service
  name: string
  description: string
  isDefault: boolean
}

/** The maximum number of packages on a rate card, and therefore on a quote. */
export const maxPackages = 20

/** The maximum number of products offered at one address, and therefore on a quote. */
export const maxBroadbandProducts = 200

/** A broadband product on a quote, as the provider offered it when it was added. */
export interface BroadbandProduct {
  productId: string
  name: string
  /** A quote has at most one `line` and any number of different add-ons. */
  kind: 'line' | 'addon'
  speedMbps: number
  /** The monthly price in pence, including VAT. */
  monthlyPrice: number
  /** A one-off charge in pence, including VAT. */
  setupPrice: number
}
