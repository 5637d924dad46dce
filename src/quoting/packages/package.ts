import type { Service } from './services.ts'

/**
 * A package that a quote can select. Ids stay the same across rate cards. The broadband package is priced by its
 * products.
 */
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

/**
 * The speeds of a broadband line that a contract must state besides its download speed, in Mbps. The normal speed is
 * the download speed that is usually available; the minimum is the download speed that the provider guarantees.
 */
export interface LineSpeeds {
  uploadMbps: number
  normalMbps: number
  minimumMbps: number
}

/** A broadband product on a quote, as the provider offered it when it was added. */
export interface BroadbandProduct {
  productId: string
  name: string
  /** A quote has at most one `line` and any number of different add-ons. */
  kind: 'line' | 'addon'
  /** The download speed; 0 for an add-on. */
  speedMbps: number
  /** Absent for an add-on, and for a line whose provider did not state them. */
  speeds?: LineSpeeds
  /** The monthly price in pence, including VAT. */
  monthlyPrice: number
  /** A one-off charge in pence, including VAT. */
  setupPrice: number
}
