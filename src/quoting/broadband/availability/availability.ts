import type { BroadbandRecord } from '../../../broadband/broadband-providers.ts'
import type { UpstreamFailureKind } from '../../../platform/kernel/upstream-failure.ts'
import type { BroadbandProduct } from '../../packages/package.ts'

/** What an upstream returned: either a response, which may be cached, or the kind of failure. */
export type UpstreamResult<Response> = { response: Response } | { failure: UpstreamFailureKind }

/** A product in the result of a check. Its members are named as in the API. */
export interface OfferedProduct {
  productId: string
  name: string
  /** The download speed in Mbps; 0 for an add-on. */
  speed: number
  /** The upload speed in Mbps. This and the next two are null for an add-on, and if the provider did not state them. */
  uploadSpeed: number | null
  /** The download speed that is normally available, in Mbps. */
  normalSpeed: number | null
  /** The download speed that the provider guarantees, in Mbps. */
  minimumSpeed: number | null
  /** The monthly price in pence, including VAT. */
  price: number
  kind: BroadbandProduct['kind']
  /** A one-off charge in pence, including VAT. */
  setupPrice: number
}

/**
 * The result of an availability check, as the API returns it. An error flag is true if and only if its list contains a
 * message.
 */
export interface AvailabilityResult {
  /** The uid of the availability request. */
  uid: string
  available: boolean
  /** The maximum speed, in Mbps. */
  maxSpeed: number
  /** The broadband lines, slowest first, then the add-ons in the provider's order. */
  products: OfferedProduct[]
  homeTelecomError: boolean
  homeTelecomErrors: string[]
  broadbandDatabaseError: boolean
  broadbandDatabaseErrors: string[]
}

/**
 * Combines both upstreams' results of a check (docs/api-behaviour.md#availability-checks).
 * - `products` lists what the provider sells.
 * - `available` is true if the provider sells a line or the database reports broadband. The database lags behind new
 *   networks and the provider does not sell on every network, so one positive result is enough. False if both upstreams
 *   failed.
 * - `linesWithoutSpeeds` are lines that the provider sells but this deployment may not. They are named in an error.
 * - `maxSpeed` is the faster of the database's figure and the fastest line on sale, for the same reason.
 */
export function mergeAvailability(
  uid: string,
  homeTelecom: UpstreamResult<readonly BroadbandProduct[]>,
  broadbandDatabase: UpstreamResult<BroadbandRecord>,
  linesWithoutSpeeds: readonly BroadbandProduct[] = [],
): AvailabilityResult {
  const products = offeredProducts('response' in homeTelecom ? homeTelecom.response : [])
  const lines = products.filter(({ kind }) => kind === 'line')
  const record = 'response' in broadbandDatabase ? broadbandDatabase.response : { available: false, maxSpeedMbps: 0 }
  const homeTelecomErrors = [
    ...explainFailure('home telecom provider', 'Until it responds, the available products are unknown', homeTelecom),
    ...explainLinesWithoutSpeeds(linesWithoutSpeeds),
  ]
  const broadbandDatabaseErrors = explainFailure(
    'broadband database',
    'Until it responds, the maximum speed may be too low',
    broadbandDatabase,
  )
  return {
    uid,
    available: lines.length > 0 || record.available,
    maxSpeed: Math.max(record.maxSpeedMbps, lines.at(-1)?.speed ?? 0),
    products,
    homeTelecomError: homeTelecomErrors.length > 0,
    homeTelecomErrors,
    broadbandDatabaseError: broadbandDatabaseErrors.length > 0,
    broadbandDatabaseErrors,
  }
}

/**
 * The provider's products as the API lists them: the lines, slowest first, then the add-ons in the provider's order.
 */
export function offeredProducts(products: readonly BroadbandProduct[]): OfferedProduct[] {
  const lines = products.filter(({ kind }) => kind === 'line').sort((a, b) => a.speedMbps - b.speedMbps)
  const addons = products.filter(({ kind }) => kind === 'addon')
  return [...lines, ...addons].map(offer)
}

function offer(product: BroadbandProduct): OfferedProduct {
  const { productId, name, speedMbps, speeds, monthlyPrice, kind, setupPrice } = product
  return {
    productId,
    name,
    speed: speedMbps,
    uploadSpeed: speeds?.uploadMbps ?? null,
    normalSpeed: speeds?.normalMbps ?? null,
    minimumSpeed: speeds?.minimumMbps ?? null,
    price: monthlyPrice,
    kind,
    setupPrice,
  }
}

function explainLinesWithoutSpeeds(lines: readonly BroadbandProduct[]): string[] {
  if (lines.length === 0) return []
  const some = lines.slice(0, 5).map(({ productId }) => productId)
  const ids = some.length < lines.length ? `${some.join(', ')} and others` : some.join(', ')
  return [
    `The home telecom provider did not state usable upload, normal and minimum speeds for these lines: ${ids}. A contract must state them, so these lines are not offered. Choose another line, or ask the operator to have the provider add them.`,
  ]
}

/**
 * The message for a partner's developer: what happened, what it means and what to do. Reveals nothing about our
 * systems.
 */
function explainFailure(who: string, consequence: string, result: UpstreamResult<unknown>): string[] {
  if ('response' in result) return []
  return [
    `The ${who} ${whatHappened(result.failure)}. ${consequence}. Run the check again in a minute: it only queries the provider that failed.`,
  ]
}

function whatHappened(failure: UpstreamFailureKind): string {
  switch (failure) {
    case 'unreachable':
    case 'dropped':
      return 'could not be reached'
    case 'timeout':
      return 'did not respond in time'
    case 'status':
    case 'redirect':
    case 'not-json':
    case 'wrong-shape':
    case 'too-large':
      return 'returned an error'
    case 'circuit-open':
      return 'has been failing and is not being queried for the moment'
    case 'overloaded':
      return 'has too many queries waiting'
  }
}
