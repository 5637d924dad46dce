import type { Static } from 'typebox'
import { isoDate } from '../../platform/kernel/dates.ts'
import type { Upstream } from '../../platform/outbound/upstream.ts'
import type { BroadbandProduct, LineSpeeds } from '../../quoting/packages/package.ts'
import type { HomeTelecom } from '../home-telecom.ts'
import type { PropertyLocation } from '../property-location.ts'
import { installDatesResponses, type ProductsResponse, productsResponses } from './wire.ts'

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
