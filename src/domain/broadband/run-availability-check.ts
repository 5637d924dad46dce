import { type Database, inTransaction } from '../../db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { AddressSource } from '../addresses/address-source.ts'
import type { Property } from '../addresses/property.ts'
import type { Caller } from '../auth/caller.ts'
import { type AvailabilityResult, type Half, mergeAvailability } from './availability.ts'
import { type AvailabilityRequest, isAvailabilityUid, newAvailabilityRequest } from './availability-request.ts'
import {
  findAvailabilityRequest,
  findAvailabilityRequestForHome,
  findBroadbandAnswers,
  insertAvailabilityRequest,
  type KnownAnswers,
  updateAvailabilityRequestCompleted,
  upsertBroadbandAnswers,
  upsertBroadbandCheck,
} from './broadband.store.ts'
import type { UpstreamAllowance } from './upstream-allowance.ts'
import { type BroadbandUpstreams, upstreamsForHome } from './upstreams-for-home.ts'

interface AvailabilityCheckDeps extends BroadbandUpstreams {
  db: Database
  addresses: AddressSource
  upstreamAllowance: UpstreamAllowance
  /** For both upstreams together; what is left of the 10 seconds goes to the database and the way back. */
  timeLimitMs?: number
}

const defaultTimeLimitMs = 9_500

/**
 * GET /Quotes/run-broadband-availability-check/{uid}: what broadband can be had at a home. `uid` is an availability
 * request's or an addressUid. Both upstreams are asked at once, each only where its answer of the last 24 hours is not
 * known; one or both failing is part of the result, not an error, and is not remembered. Throws `not_found` for a uid
 * that is unknown, expired or another partner's, and `rate_limited` where an upstream would have to be asked too soon. What a steered upstream answers is neither taken from what is known nor
 * kept: answers are shared between partners, and this one is the partner's own.
 */
export async function runAvailabilityCheck(
  deps: AvailabilityCheckDeps,
  caller: Caller,
  input: { uid: string },
): Promise<AvailabilityResult> {
  const { db } = deps
  const signal = AbortSignal.timeout(deps.timeLimitMs ?? defaultTimeLimitMs)
  const { request, isNew, property } = await findOrMakeRequest(deps, caller, input.uid)

  const [upstreams, known] = await Promise.all([
    upstreamsForHome(deps, caller, property.addressUid),
    findBroadbandAnswers(db, property.addressUid, caller.now),
  ])
  const { homeTelecom: provider, broadbandDatabase: database } = upstreams
  if (provider.isSteered) delete known.products
  if (database.isSteered) delete known.line
  if (!known.products || !known.line) await deps.upstreamAllowance.charge()
  const [homeTelecom, broadbandDatabase] = await Promise.all([
    known.products ? { answer: known.products } : half(provider.port.listProducts(property, signal)),
    known.line ? { answer: known.line } : half(database.port.findLine(property, signal)),
  ])

  const learnt: KnownAnswers = {}
  if (!known.products && !provider.isSteered && 'answer' in homeTelecom) learnt.products = homeTelecom.answer
  if (!known.line && !database.isSteered && 'answer' in broadbandDatabase) learnt.line = broadbandDatabase.answer
  await inTransaction(db, caller, async (tx) => {
    if (isNew) await insertAvailabilityRequest(tx, caller.partnerId, request)
    await updateAvailabilityRequestCompleted(tx, caller.partnerId, request.uid)
    await upsertBroadbandAnswers(tx, property.addressUid, learnt, caller.now)
    if ('answer' in homeTelecom) {
      await upsertBroadbandCheck(tx, caller.partnerId, property.addressUid, homeTelecom.answer, caller.now)
    }
  })
  return mergeAvailability(request.uid, homeTelecom, broadbandDatabase)
}

async function half<Answer>(question: Promise<Answer>): Promise<Half<Answer>> {
  try {
    return { answer: await question }
  } catch (error) {
    if (error instanceof UpstreamFailure) return { failure: error.kind }
    throw error
  }
}

interface RequestedHome {
  request: AvailabilityRequest
  /** True for a request made on the way, which is not stored yet. */
  isNew: boolean
  property: Property
}

async function findOrMakeRequest(deps: AvailabilityCheckDeps, caller: Caller, uid: string): Promise<RequestedHome> {
  const { db, addresses } = deps
  const { partnerId, now } = caller
  const named = isAvailabilityUid(uid) ? await findAvailabilityRequest(db, partnerId, uid, now) : undefined
  // A home may have been withdrawn since the request was made: then there is nothing left to check.
  const property = await addresses.findByUid(named?.addressUid ?? uid)
  if (property === null) throw notFound('availability request')
  if (named !== undefined) return { request: named, isNew: false, property }

  const earlier = await findAvailabilityRequestForHome(db, partnerId, property.addressUid, now)
  if (earlier !== undefined) return { request: earlier, isNew: false, property }
  const request = newAvailabilityRequest(newId('availability'), property.addressUid, now)
  return { request, isNew: true, property }
}
