import { type Database, inTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { UpstreamFailure } from '../../../kernel/upstream-failure.ts'
import type { AddressSource } from '../address-source.ts'
import { isAddressUid } from '../address-uid.ts'
import type { MeterPointSource } from '../meter-points/meter-point-source.ts'
import { findByAddressUid, listAtPostcode, upsertSupplied } from '../properties.store.ts'
import type { Property } from '../property.ts'
import { orderProperties } from '../property-order.ts'
import { findLookup, saveLookup } from './address-lookups.store.ts'
import type { AddressSupplier } from './address-supplier.ts'
import { isFresh, type KeptLookup } from './lookup-age.ts'

export interface CachedAddressSource extends AddressSource {
  /** Waits for answers nobody waits for any more, so that they are stored before the database is closed. */
  settled(): Promise<void>
}

interface CachedAddressSourceDeps {
  db: Database
  supplier: AddressSupplier
  meterPoints: MeterPointSource
  /** Real time: what is kept belongs to no partner, so a partner's sandbox clock does not age it. */
  clock: Clock
  /** Told when an old answer stands in for a new one. */
  log: { warn(fields: object, message: string): void }
  /** How long a lookup that has an old answer waits for a new one, in milliseconds. */
  patienceMs?: number
}

/** An old answer is nearly always right, so nobody waits long for a new one; it is still stored when it comes. */
const defaultPatienceMs = 2_000

/** After a refusal that only the operator can end; other failures pass by themselves. */
const refusedRetrySeconds = 60
const failedRetrySeconds = 5

/**
 * Homes of a supplier, kept in our database: asked for once in a while (`lookup-age`), found there in between. While the
 * supplier cannot be asked, what is kept is used however old it is. A home keeps its addressUid as long as it has its
 * UPRN; one that the supplier lists no more is found by its addressUid all the same, as quotes may name it.
 */
export function createCachedAddressSource(deps: CachedAddressSourceDeps): CachedAddressSource {
  const { db, supplier, meterPoints, clock } = deps
  const underWay = new Map<string, Promise<KeptLookup>>()

  /** Asks the supplier and keeps its answer. Whoever asks for the same postcode meanwhile gets the same answer. */
  function refresh(postcode: string): Promise<KeptLookup> {
    const current = underWay.get(postcode)
    if (current !== undefined) return current
    const asking = askAndKeep(deps, postcode).finally(() => underWay.delete(postcode))
    underWay.set(postcode, asking)
    return asking
  }

  async function lookup(postcode: string): Promise<KeptLookup> {
    const kept = await findLookup(db, supplier.name, postcode)
    if (kept === null) return refresh(postcode).catch(refuse)
    if (isFresh(kept, clock.now())) return kept
    return refreshedOr(kept, refresh(postcode), deps)
  }

  /** The home as its supplier tells it now, where its postcode has not been asked for in a while. */
  async function renewed(stored: Property): Promise<Property> {
    if (stored.source !== supplier.name) return stored
    const kept = await findLookup(db, supplier.name, stored.postcode)
    if (kept === null || isFresh(kept, clock.now())) return stored
    await refreshedOr(kept, refresh(stored.postcode), deps)
    return (await findByAddressUid(db, stored.addressUid)) ?? stored
  }

  async function withMeters(homes: readonly Property[]): Promise<Property[]> {
    const known = await meterPoints.findByUprns(homes.map(({ uprn }) => uprn))
    return homes.map((home) => ({ ...home, ...known.get(home.uprn) }))
  }

  return {
    hasSamples: false,

    async findByPostcode(postcode) {
      const { addressUids } = await lookup(postcode)
      return orderProperties(await withMeters(await listAtPostcode(db, addressUids, postcode)))
    },

    async findByUid(addressUid) {
      // Other text is not sent: PostgreSQL refuses some of it, such as a zero byte, with an error.
      if (!isAddressUid(addressUid)) return null
      const stored = await findByAddressUid(db, addressUid)
      if (stored === null) return null
      const [home = stored] = await withMeters([await renewed(stored)])
      return home
    },

    async settled() {
      await Promise.allSettled(underWay.values())
    },
  }
}

async function askAndKeep({ db, supplier, clock }: CachedAddressSourceDeps, postcode: string): Promise<KeptLookup> {
  const fetchedAt = clock.now()
  const homes = await supplier.listHomes(postcode)
  return inTransaction(db, {}, async (tx) => {
    const withUids = homes.map((home) => ({ ...home, addressUid: newId('address') }))
    const addressUids = await upsertSupplied(tx, supplier.name, withUids)
    await saveLookup(tx, supplier.name, postcode, { addressUids, fetchedAt })
    return { addressUids, fetchedAt }
  })
}

/** The new answer, or the kept one where the new one does not come in time. Throws where our own part of it fails. */
async function refreshedOr(
  kept: KeptLookup,
  asking: Promise<KeptLookup>,
  { supplier, log, patienceMs = defaultPatienceMs }: CachedAddressSourceDeps,
): Promise<KeptLookup> {
  const useKept = (reason: string) => {
    const { fetchedAt } = kept
    log.warn(
      { supplier: supplier.name, fetchedAt, reason },
      'address supplier failed; serving an expired cached response',
    )
    return kept
  }
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  const late = new Promise<KeptLookup>((resolve) => {
    timer = setTimeout(() => {
      isLate = true
      resolve(useKept(`no response within ${patienceMs} ms`))
    }, patienceMs)
  })
  const inTime = asking.catch((error: unknown) => {
    if (!isLate) {
      if (error instanceof UpstreamFailure) return useKept(error.message)
      throw error
    }
    // Who waited has its answer by now. The supplier's own failures are in the log of the way out to it.
    if (!(error instanceof UpstreamFailure)) log.warn({ err: error }, 'caching a late address supplier response failed')
    return kept
  })
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer))
}

function refuse(error: unknown): never {
  if (!(error instanceof UpstreamFailure)) throw error
  const refused = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  throw new DomainError(
    'service_unavailable',
    'Addresses at this postcode cannot be looked up at the moment. Retry shortly.',
    {
      retryAfterSeconds:
        error.retryAfterSeconds ?? (refused && error.statusCode !== 429 ? refusedRetrySeconds : failedRetrySeconds),
      cause: error,
    },
  )
}
