import type { Service } from './services.ts'

/** Something a quote can select. Ids are stable over rate cards. The broadband package's price is its products'. */
export interface Package {
  packageId: string
  type: Service
  name: string
  description: string
  isDefault: boolean
}

/** A rate card's packages, so also the most a quote can be offered. */
export const mostPackages = 20

/** What a provider may offer at one address, so also the most a quote can hold. */
export const mostBroadbandProducts = 200

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
