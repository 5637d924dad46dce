import type { Static } from 'typebox'
import type { HomeTelecom } from '../../domain/broadband/home-telecom.ts'
import type { PropertyLocation } from '../../domain/broadband/property-location.ts'
import type { BroadbandProduct } from '../../domain/packages/package.ts'
import { isoDate } from '../../kernel/dates.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { installDatesAnswers, type ProductsAnswer, productsAnswers } from './wire.ts'

/** The provider behind `docs/upstreams/home-telecom.openapi.yaml`. `headers` go with every call. */
export function createHomeTelecom(upstream: Upstream, headers: Record<string, string> = {}): HomeTelecom {
  return {
    async listProducts(home, signal) {
      const call = {
        path: '/v1/products',
        query: queryOf(home),
        headers,
        answers: productsAnswers,
        subject: home.uprn,
        signal,
      }
      return (await upstream.call(call)).body.products.map(readProduct)
    },

    async listInstallDates(home, wish) {
      const query = queryOf(home)
      for (const productId of wish.productIds) query.append('productId', productId)
      query.append('orderDate', wish.orderDate)
      query.append('from', wish.earliest)
      const call = { path: '/v1/install-dates', query, headers, answers: installDatesAnswers, subject: home.uprn }
      return (await upstream.call(call)).body.dates.map(isoDate)
    },
  }
}

function queryOf({ uprn, postcode }: PropertyLocation): URLSearchParams {
  return new URLSearchParams({ uprn, postcode })
}

function readProduct(product: Static<typeof ProductsAnswer>['products'][number]): BroadbandProduct {
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
