import type { Static } from 'typebox'
import Type from 'typebox'
import { isoDate } from '../platform/kernel/dates.ts'
import type { Upstream } from '../platform/outbound/upstream.ts'
import { type BroadbandProduct, type LineSpeeds, maxBroadbandProducts } from '../quoting/packages/package.ts'
import type { HomeTelecom, PropertyLocation } from './broadband-providers.ts'

const Mbps = Type.Number({ minimum: 0, maximum: 1_000_000 })

/**
 * The responses described in `docs/upstreams/home-telecom.openapi.yaml`. Other fields are ignored, so providers can add
 * fields.
 */
export const ProductsResponse = Type.Object({
  products: Type.Array(
    Type.Object({
      productId: Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\x21-\\x7e]+$' }),
      name: Type.String({ minLength: 1, maxLength: 200 }),
      kind: Type.Union([Type.Literal('line'), Type.Literal('addon')]),
      /** In Mbps; 0 for an add-on. */
      downloadMbps: Mbps,
      uploadMbps: Type.Optional(Mbps),
      normalDownloadMbps: Type.Optional(Mbps),
      minimumDownloadMbps: Type.Optional(Mbps),
      monthlyPricePence: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
      setupPricePence: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
    }),
    { maxItems: maxBroadbandProducts, distinctBy: 'productId' },
  ),
})

const InstallDatesResponse = Type.Object({
  dates: Type.Array(Type.String({ format: 'calendar-day' }), { maxItems: 400 }),
})

/** @internal Tests compare the simulator with it. */
export const productsResponses = { 200: ProductsResponse }
/** @internal Tests compare the simulator with it. */
export const installDatesResponses = { 200: InstallDatesResponse }

/** A client for the provider in `docs/upstreams/home-telecom.openapi.yaml`. Every call sends `headers`. */
export function createHomeTelecom(upstream: Upstream, headers: Record<string, string> = {}): HomeTelecom {
  return {
    async listProducts(home, signal) {
      const call = {
        path: '/v1/products',
        query: queryOf(home),
        headers,
        responses: productsResponses,
        subject: home.uprn,
        signal,
      }
      return (await upstream.call(call)).body.products.map(readProduct)
    },

    async listInstallDates(home, options) {
      const query = queryOf(home)
      for (const productId of options.productIds) query.append('productId', productId)
      query.append('orderDate', options.orderDate)
      query.append('from', options.earliest)
      const call = { path: '/v1/install-dates', query, headers, responses: installDatesResponses, subject: home.uprn }
      return (await upstream.call(call)).body.dates.map(isoDate)
    },
  }
}

function queryOf({ uprn, postcode }: PropertyLocation): URLSearchParams {
  return new URLSearchParams({ uprn, postcode })
}

type Product = Static<typeof ProductsResponse>['products'][number]

/** The speeds of a line; undefined unless the provider states all of them. */
function readSpeeds({ uploadMbps, normalDownloadMbps, minimumDownloadMbps }: Product): LineSpeeds | undefined {
  if (uploadMbps === undefined || normalDownloadMbps === undefined || minimumDownloadMbps === undefined)
    return undefined
  return { uploadMbps, normalMbps: normalDownloadMbps, minimumMbps: minimumDownloadMbps }
}

function readProduct(product: Product): BroadbandProduct {
  const { productId, name, kind, downloadMbps, monthlyPricePence, setupPricePence } = product
  const speeds = kind === 'line' ? readSpeeds(product) : undefined
  return {
    productId,
    name,
    kind,
    speedMbps: downloadMbps,
    ...(speeds === undefined ? {} : { speeds }),
    monthlyPrice: monthlyPricePence,
    setupPrice: setupPricePence,
  }
}
