import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import { isAddressUid } from '../address-uid.ts'
import type { MeterPointSource } from '../meter-points/meter-points.ts'
import {
  findByAddressUid,
  findStoredByUprn,
  listByAddressUidsAndPostcode,
  listInSector,
  upsertSuppliedProperties,
} from '../properties.store.ts'
import type { AddressSource, Property } from '../property.ts'
import { orderProperties } from '../property-order.ts'
import { type CachedLookup, findCachedLookup, isLookupFresh, saveCachedLookup } from './address-lookups.store.ts'
import type { AddressSupplier } from './supplied-properties.ts'

export interface CachedAddressSource extends AddressSource {
  /** Waits for late responses to be stored. Call it before closing the database. */
  settled(): Promise<void>
}

interface CachedAddressSourceDeps {
  db: Database
  supplier: AddressSupplier
  meterPoints: MeterPointSource
  /** Shows real time. All partners share the cache, so its entries must not age by any partner's sandbox clock. */
  clock: Clock
  /** The logger, which receives a warning when an expired response is used. */
  log: { warn(fields: object, message: string): void }
  /** How long a lookup waits for a new response if the cached one has expired, in milliseconds. */
  maxWaitMs?: number
}

/**
 * An expired response is nearly always still correct, so a lookup does not wait long for a new one. A late response is
 * still stored.
 */
const defaultMaxWaitMs = 2_000

/**
 * The suggested retry delays: a long one after a rejection that only the operator can fix, and a short one after a
 * temporary failure.
 */
const rejectedRetrySeconds = 60
const failedRetrySeconds = 5

/**
 * A supplier's properties, cached in our database for the time in `lookup-age`. While the supplier is unavailable,
 * expired responses are used, however old they are. A property keeps its addressUid as long as it keeps its UPRN. A
 * property that the supplier no longer lists can still be found by its addressUid, because quotes may refer to it.
 */
export function createCachedAddressSource(deps: CachedAddressSourceDeps): CachedAddressSource {
  const { db, supplier, meterPoints, clock } = deps
  const pending = new Map<string, Promise<CachedLookup>>()

  /** Queries the supplier and stores the response. Concurrent lookups of a postcode share one query. */
  function refresh(postcode: string): Promise<CachedLookup> {
    const current = pending.get(postcode)
    if (current !== undefined) return current
    const fetching = fetchAndStore(deps, postcode).finally(() => pending.delete(postcode))
    pending.set(postcode, fetching)
    return fetching
  }

  async function lookup(postcode: string): Promise<CachedLookup> {
    const cached = await findCachedLookup(db, supplier.name, postcode)
    if (cached === null) return refresh(postcode).catch(throwUnavailable)
    if (isLookupFresh(cached, clock.now())) return cached
    return refreshedOrCached(cached, refresh(postcode), deps)
  }

  /** Returns the property with current data. Queries the supplier again if the cached response has expired. */
  async function refreshed(stored: Property): Promise<Property> {
    if (stored.source !== supplier.name) return stored
    const cached = await findCachedLookup(db, supplier.name, stored.postcode)
    if (cached === null || isLookupFresh(cached, clock.now())) return stored
    await refreshedOrCached(cached, refresh(stored.postcode), deps)
    return (await findByAddressUid(db, stored.addressUid)) ?? stored
  }

  async function withMeters(properties: readonly Property[]): Promise<Property[]> {
    const known = await meterPoints.findByUprns(properties.map(({ uprn }) => uprn))
    return properties.map((property) => ({ ...property, ...known.get(property.uprn) }))
  }

  return {
    hasSamples: false,

    async findByPostcode(postcode) {
      const { addressUids } = await lookup(postcode)
      return orderProperties(await withMeters(await listByAddressUidsAndPostcode(db, addressUids, postcode)))
    },

    async findByUid(addressUid, { isStored } = { isStored: false }) {
      // Check the format first, because PostgreSQL rejects some text, such as a zero byte.
      if (!isAddressUid(addressUid)) return null
      const stored = await findByAddressUid(db, addressUid)
      if (stored === null) return null
      const [property = stored] = await withMeters([isStored ? stored : await refreshed(stored)])
      return property
    },

    async findByUprn(uprn) {
      const stored = await findStoredByUprn(db, uprn)
      return stored === null || stored.source !== supplier.name ? null : ((await withMeters([stored]))[0] ?? null)
    },

    async findInSector(sector, word) {
      const stored = await listInSector(db, sector, word)
      return stored.filter(({ source }) => source === supplier.name)
    },

    async settled() {
      await Promise.allSettled(pending.values())
    },
  }
}

async function fetchAndStore(
  { db, supplier, clock }: CachedAddressSourceDeps,
  postcode: string,
): Promise<CachedLookup> {
  // A query that ended since the caller looked has stored what this one would get.
  const stored = await findCachedLookup(db, supplier.name, postcode)
  if (stored !== null && isLookupFresh(stored, clock.now())) return stored
  const fetchedAt = clock.now()
  const properties = await supplier.listProperties(postcode)
  return inTransaction(db, {}, async (tx) => {
    const withUids = properties.map((property) => ({ ...property, addressUid: newId('address') }))
    const addressUids = await upsertSuppliedProperties(tx, supplier.name, withUids)
    await saveCachedLookup(tx, supplier.name, postcode, { addressUids, fetchedAt })
    return { addressUids, fetchedAt }
  })
}

/**
 * Returns the new response, or the expired one if the query fails or takes too long. Throws if our own database fails.
 */
async function refreshedOrCached(
  cached: CachedLookup,
  fetching: Promise<CachedLookup>,
  { supplier, log, maxWaitMs = defaultMaxWaitMs }: CachedAddressSourceDeps,
): Promise<CachedLookup> {
  const useCached = (reason: string) => {
    const { fetchedAt } = cached
    log.warn(
      { supplier: supplier.name, fetchedAt, reason },
      'address supplier failed; serving an expired cached response',
    )
    return cached
  }
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  const late = new Promise<CachedLookup>((resolve) => {
    timer = setTimeout(() => {
      isLate = true
      resolve(useCached(`no response within ${maxWaitMs} ms`))
    }, maxWaitMs)
  })
  const inTime = fetching.catch((error: unknown) => {
    if (!isLate) {
      if (error instanceof UpstreamFailure) return useCached(error.message)
      throw error
    }
    // The lookup has already returned, so the error can only be logged. The outbound client has already logged any
    // UpstreamFailure.
    if (!(error instanceof UpstreamFailure))
      log.warn({ err: error }, 'a late response from the address supplier could not be cached')
    return cached
  })
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer))
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof UpstreamFailure)) throw error
  const isRejected = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  throw new DomainError(
    'service_unavailable',
    'Addresses at this postcode cannot be looked up at the moment. Retry shortly.',
    {
      retryAfterSeconds:
        error.retryAfterSeconds ?? (isRejected && error.statusCode !== 429 ? rejectedRetrySeconds : failedRetrySeconds),
      cause: error,
    },
  )
}
