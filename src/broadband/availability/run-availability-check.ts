import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type { AddressSource, Property } from '../../properties/property.ts'
import {
  type AvailabilityResult,
  mergeAvailability,
  type UpstreamResult,
} from '../../quoting/broadband/availability/availability.ts'
import {
  type AvailabilityRequest,
  isAvailabilityUid,
  newAvailabilityRequest,
} from '../../quoting/broadband/availability-request.ts'
import { upsertBroadbandCheck } from '../../quoting/broadband/broadband-checks.store.ts'
import type { BroadbandProduct } from '../../quoting/packages/package.ts'
import {
  type CachedResponses,
  clearChargedChecks,
  completeAvailabilityRequest,
  findAvailabilityRequest,
  findAvailabilityRequestForProperty,
  findCachedResponses,
  hasChargedCheck,
  insertAvailabilityRequest,
  upsertCachedResponses,
} from '../broadband.store.ts'
import { type BroadbandUpstreams, type UpstreamAllowance, upstreamsForProperty } from '../upstreams-for-property.ts'

/** What a deployment may sell of what the provider offers, and the lines that it may not sell. */
interface SellableProducts {
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

interface AvailabilityCheckDeps extends BroadbandUpstreams {
  db: Database
  addresses: AddressSource
  upstreamAllowance: UpstreamAllowance
  realm: 'sandbox' | 'live'
  /**
   * The time limit for both upstreams together. The whole check may take 10 seconds, and the time that remains is for
   * the database and the response.
   */
  timeLimitMs?: number
}

const defaultTimeLimitMs = 9_500

/**
 * GET /Quotes/run-broadband-availability-check/{uid}: what broadband a property can have. `uid` is an availability
 * request's uid or an addressUid. Queries the upstreams in parallel, except any whose response from the last 24 hours
 * is cached. An upstream failure is part of the result, not an error, and is not cached. Partners share cached
 * responses, but a check counts towards the partner's allowance as if they did not: otherwise the allowance would tell
 * what others have checked. The cache is not used for an upstream whose behaviour the partner has set (a steered
 * upstream). Throws `not_found` for a uid that is unknown, expired or another partner's, and `rate_limited` if the
 * partner's allowance of checks is used up.
 */
export async function runAvailabilityCheck(
  deps: AvailabilityCheckDeps,
  caller: Caller,
  input: { uid: string },
): Promise<AvailabilityResult> {
  const { db } = deps
  const signal = AbortSignal.timeout(deps.timeLimitMs ?? defaultTimeLimitMs)
  const { request, isNew, property } = await findOrMakeRequest(deps, caller, input.uid)

  const [upstreams, known, isRepeated] = await Promise.all([
    upstreamsForProperty(deps, caller, property.addressUid),
    findCachedResponses(db, property.addressUid, caller.now),
    hasChargedCheck(db, caller.partnerId, property.addressUid, caller.now),
  ])
  const { homeTelecom: provider, broadbandDatabase: database } = upstreams
  if (provider.isSteered) delete known.products
  if (database.isSteered) delete known.line
  const isSteered = provider.isSteered || database.isSteered
  const isCharged = isSteered || !isRepeated
  if (isCharged) await deps.upstreamAllowance.charge()
  const [homeTelecom, broadbandDatabase] = await Promise.all([
    known.products ? { response: known.products } : settle(provider.port.listProducts(property, signal)),
    known.line ? { response: known.line } : settle(database.port.findLine(property, signal)),
  ])

  const offer = 'response' in homeTelecom ? sellableProducts(homeTelecom.response, deps.realm) : undefined
  const fetched: CachedResponses = {}
  if (!known.products && !provider.isSteered && 'response' in homeTelecom) fetched.products = homeTelecom.response
  if (!known.line && !database.isSteered && 'response' in broadbandDatabase) fetched.line = broadbandDatabase.response
  await inTransaction(db, caller, async (tx) => {
    if (isNew) await insertAvailabilityRequest(tx, caller.partnerId, request)
    const isWhole = 'response' in homeTelecom && 'response' in broadbandDatabase
    await completeAvailabilityRequest(tx, caller.partnerId, request.uid, {
      isCharged: isCharged && isWhole && !isSteered,
    })
    if (!isWhole) await clearChargedChecks(tx, caller.partnerId, property.addressUid)
    await upsertCachedResponses(tx, property.addressUid, fetched, caller.now)
    if (offer !== undefined) {
      await upsertBroadbandCheck(tx, caller.partnerId, property.addressUid, offer.products, caller.now)
    }
  })
  const sold = offer === undefined ? homeTelecom : { response: offer.products }
  return mergeAvailability(request.uid, sold, broadbandDatabase, offer?.linesWithoutSpeeds)
}

async function settle<Response>(call: Promise<Response>): Promise<UpstreamResult<Response>> {
  try {
    return { response: await call }
  } catch (error) {
    if (error instanceof UpstreamFailure) return { failure: error.kind }
    throw error
  }
}

interface RequestedProperty {
  request: AvailabilityRequest
  /** Whether this is a new request, which has not been stored yet. */
  isNew: boolean
  property: Property
}

async function findOrMakeRequest(deps: AvailabilityCheckDeps, caller: Caller, uid: string): Promise<RequestedProperty> {
  const { db, addresses } = deps
  const { partnerId, now } = caller
  const named = isAvailabilityUid(uid) ? await findAvailabilityRequest(db, partnerId, uid, now) : undefined
  // The property may have been withdrawn since the request was made.
  const property = await addresses.findByUid(named?.addressUid ?? uid)
  if (property === null) throw notFound('availability request')
  if (named !== undefined) return { request: named, isNew: false, property }

  const earlier = await findAvailabilityRequestForProperty(db, partnerId, property.addressUid, now)
  if (earlier !== undefined) return { request: earlier, isNew: false, property }
  const request = newAvailabilityRequest(newId('availability'), property.addressUid, now)
  return { request, isNew: true, property }
}
