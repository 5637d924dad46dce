/** The services a household can buy; also the order of lines in every breakdown. */
export const services = ['electricity', 'gas', 'broadband'] as const
export type Service = (typeof services)[number]

/** Something a quote can select. Ids are stable over rate cards. The broadband package's price is its products'. */
export interface Package {
  packageId: string
  type: Service
  name: string
  description: string
  isDefault: boolean
}

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
