import Type from 'typebox'
import { maxBroadbandProducts } from '../../quoting/packages/package.ts'

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

export const productsResponses = { 200: ProductsResponse }
export const installDatesResponses = { 200: InstallDatesResponse }
