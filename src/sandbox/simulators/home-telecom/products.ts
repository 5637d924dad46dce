import type { Static } from 'typebox'
import type { ProductsResponse } from '../../../broadband/home-telecom.http.ts'
import { networkSpeedMbps } from '../simulated-network.ts'

type Product = Static<typeof ProductsResponse>['products'][number]

const lines: readonly Product[] = [
  line('fibre-67', 'Home Broadband 67', { download: 67, upload: 18, normal: 62, minimum: 48 }, 2_600, 1_000),
  line('fibre-150', 'Home Broadband 150', { download: 150, upload: 30, normal: 145, minimum: 75 }, 2_900, 1_000),
  line('fibre-500', 'Home Broadband 500', { download: 500, upload: 70, normal: 480, minimum: 250 }, 3_500, 1_000),
  line('fibre-900', 'Home Broadband 900', { download: 900, upload: 110, normal: 850, minimum: 450 }, 4_300, 0),
]

const addons: readonly Product[] = [
  addon('wifi-whole-home', 'Whole Home Wi-Fi', 700, 2_500),
  addon('static-ip', 'Static IP Address', 500, 0),
]

/**
 * The products that the invented provider sells at a property with broadband: the lines that the network supports, and
 * all add-ons.
 */
export function productsAt(uprn: string): Product[] {
  const speed = networkSpeedMbps(uprn)
  return [...lines.filter((product) => product.downloadMbps <= speed), ...addons]
}

function line(
  productId: string,
  name: string,
  { download, upload, normal, minimum }: { download: number; upload: number; normal: number; minimum: number },
  monthlyPricePence: number,
  setupPricePence: number,
): Product {
  const speeds = { uploadMbps: upload, normalDownloadMbps: normal, minimumDownloadMbps: minimum }
  return { productId, name, kind: 'line', downloadMbps: download, ...speeds, monthlyPricePence, setupPricePence }
}

function addon(productId: string, name: string, monthlyPricePence: number, setupPricePence: number): Product {
  return { productId, name, kind: 'addon', downloadMbps: 0, monthlyPricePence, setupPricePence }
}
