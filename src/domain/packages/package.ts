import type { Service } from './services.ts'

/** A package that a quote can select. Ids stay the same across rate cards. The broadband package costs what its products cost. */
export interface Package {
  packageId: string
  type: Service
  name: string
  description: string
  isDefault: boolean
}

/** The limit for a rate card, and so for a quote. */
export const maxPackages = 20

/** The limit for the offers at one address, and so for a quote. */
export const maxBroadbandProducts = 200

/** A broadband product on a quote, as the provider offered it when it was added. */
export interface BroadbandProduct {
  productId: string
  name: string
  /** At most one `line` on a quote; any number of different add-ons. */
  kind: 'line' | 'addon'
  speedMbps: number
  /** Pence a month, VAT included. */
  monthlyPrice: number
  /** Pence once, VAT included. */
  setupPrice: number
}
