import type { Static } from 'typebox'
import type { HomeTelecom } from '../../domain/broadband/home-telecom.ts'
import type { PropertyLocation } from '../../domain/broadband/property-location.ts'
import type { BroadbandProduct } from '../../domain/packages/package.ts'
import { isoDate } from '../../kernel/dates.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
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

function readProduct(product: Static<typeof ProductsResponse>['products'][number]): BroadbandProduct {
  const { productId, name, kind, downloadMbps, monthlyPricePence, setupPricePence } = product
  return {
    productId,
    name,
    kind,
    speedMbps: downloadMbps,
    monthlyPrice: monthlyPricePence,
    setupPrice: setupPricePence,
  }
}
