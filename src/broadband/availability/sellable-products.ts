import type { BroadbandProduct } from '../../quoting/packages/package.ts'

/** What a deployment may sell of what the provider offers, and the lines that it may not sell. */
export interface SellableProducts {
  products: BroadbandProduct[]
  linesWithoutSpeeds: BroadbandProduct[]
}

/**
 * A contract summary states the speeds of a line (General Conditions, C1), so live sells no line without them. Also
 * rejects speeds that contradict each other: the minimum is at most the normal speed, which is at most the download
 * speed. A sandbox sells everything, so that a partner can test with any provider.
 */
export function sellableProducts(offered: readonly BroadbandProduct[], realm: 'sandbox' | 'live'): SellableProducts {
  const isSellable = (product: BroadbandProduct) =>
    realm === 'sandbox' || product.kind === 'addon' || statesSpeeds(product)
  return {
    products: offered.filter(isSellable),
    linesWithoutSpeeds: offered.filter((product) => !isSellable(product)),
  }
}

function statesSpeeds({ speedMbps, speeds }: BroadbandProduct): boolean {
  if (speeds === undefined) return false
  const { uploadMbps, normalMbps, minimumMbps } = speeds
  return uploadMbps > 0 && minimumMbps > 0 && minimumMbps <= normalMbps && normalMbps <= speedMbps
}
