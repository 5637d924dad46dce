import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import { createBroadbandDatabase } from '../broadband/broadband-database.http.ts'
import type { BroadbandDatabase, HomeTelecom } from '../broadband/broadband-providers.ts'
import { createHomeTelecom } from '../broadband/home-telecom.http.ts'
import type { SimulatedUpstreams } from '../broadband/upstream-behaviour.ts'
import type { AddressSupplierName } from '../platform/config/address-source.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { UpstreamCounters } from '../platform/outbound/counters.ts'
import type { UpstreamLimits } from '../platform/outbound/guard.ts'
import { createUpstream, type Upstream } from '../platform/outbound/upstream.ts'
import { databaseAddressSource, databaseMeterPointSource } from '../properties/address-suppliers/address-database.ts'
import { createCachedAddressSource } from '../properties/address-suppliers/cached-address-source.ts'
import type { AddressSupplier } from '../properties/address-suppliers/supplied-properties.ts'
import type { AddressSource } from '../properties/property.ts'
import { behaviourHeaders } from '../sandbox/simulators/simulator-server.ts'
import type { CallDurations } from './metrics/metrics.ts'
import type { SimulatorUrls } from './sandbox/simulators.ts'

/** Opens the guarded HTTP client for one upstream, which is counted, and closed at the end. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

interface OpenerDependencies {
  callDurations: CallDurations
  log: Logger
  /** Shared by all clients. */
  lookup: LookupFunction
  /** Functions that read the counters of the opened clients. */
  counting: (() => UpstreamCounters)[]
  closers: (() => Promise<void>)[]
}

/** `limits` replaces the defaults of every upstream; limits given for a single upstream take precedence. */
export function createUpstreamOpener(
  { callDurations, log, lookup, counting, closers }: OpenerDependencies,
  limits: Partial<UpstreamLimits> = {},
): OpenUpstream {
  return (name, baseUrl, own) => {
    const recordDuration = (seconds: number) => callDurations.observe({ upstream: name }, seconds)
    callDurations.zero({ upstream: name })
    const upstream = createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, recordDuration, lookup })
    counting.push(upstream.counters)
    closers.push(upstream.close)
    return upstream
  }
}

/** The two broadband upstreams. */
export interface BroadbandSystems {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Undefined outside a sandbox. */
  simulatedUpstreams: SimulatedUpstreams | undefined
}

interface BroadbandDependencies {
  config: Config
  simulators: SimulatorUrls
  open: OpenUpstream
}

/**
 * Simulated failures say nothing about a real upstream, so they never open the circuit breaker. The concurrency limit
 * is higher than the number of calls that one partner can start while a call hangs, so a partner who simulates failures
 * never blocks another.
 */
const steeredLimits: Partial<UpstreamLimits> = { failuresToOpen: Number.POSITIVE_INFINITY, concurrency: 1_024 }

/** No property has broadband for a live deployment that names no provider. */
const nothingSold: BroadbandSystems = {
  homeTelecom: { listProducts: async () => [], listInstallDates: async () => [] },
  broadbandDatabase: { findLine: async () => ({ available: false, maxSpeedMbps: 0 }) },
  simulatedUpstreams: undefined,
}

/** Connects to both upstreams or, in a sandbox, to the simulator of one without a configured URL. */
export function connectBroadband({ config, simulators, open }: BroadbandDependencies): BroadbandSystems {
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
  if (config.realm === 'live' && homeTelecomUrl === undefined) return nothingSold
  const steered: SimulatedUpstreams = { homeTelecom: undefined, broadbandDatabase: undefined }
  const telecomUrl = homeTelecomUrl ?? simulators.homeTelecom
  if (homeTelecomUrl === undefined) {
    const upstream = open('home-telecom-steered', telecomUrl, steeredLimits)
    steered.homeTelecom = (behaviour) => createHomeTelecom(upstream, behaviourHeaders(behaviour))
  }
  const databaseUrl = broadbandDatabaseUrl ?? simulators.broadbandDatabase
  if (broadbandDatabaseUrl === undefined) {
    const upstream = open('broadband-database-steered', databaseUrl, steeredLimits)
    steered.broadbandDatabase = (behaviour) => createBroadbandDatabase(upstream, behaviourHeaders(behaviour))
  }
  return {
    homeTelecom: createHomeTelecom(open('home-telecom', telecomUrl)),
    broadbandDatabase: createBroadbandDatabase(open('broadband-database', databaseUrl)),
    simulatedUpstreams: config.realm === 'sandbox' ? steered : undefined,
  }
}

interface AddressSourceDeps {
  config: Config
  secrets: Secrets
  db: Database
  clock: Clock
  log: Logger
  open: OpenUpstream
}

/** The client of each supplier. Imported only if used: most deployments need none. */
export const addressSuppliers: Record<
  AddressSupplierName,
  (open: (ownBase: string) => Upstream, key: string) => Promise<AddressSupplier>
> = {
  async 'ideal-postcodes'(open, key) {
    const { createIdealPostcodes, idealPostcodesBase } = await import(
      '../properties/address-suppliers/ideal-postcodes/ideal-postcodes.ts'
    )
    return createIdealPostcodes(open(idealPostcodesBase), key)
  },
  async 'os-places'(open, key) {
    const { createOsPlaces, osPlacesBase } = await import('../properties/address-suppliers/os-places/os-places.ts')
    return createOsPlaces(open(osPlacesBase), key)
  },
}

/** A hundred addresses with all the details that a supplier returns take about 200 KB. */
const maxBytes = 1024 * 1024

/** The source of properties: our own tables, or a supplier, whose results are stored in these tables. */
export async function connectAddressSource(
  { config, secrets, db, clock, log, open }: AddressSourceDeps,
  closers: (() => Promise<void>)[],
): Promise<AddressSource> {
  const { source, apiBase } = config.addresses
  if (source === 'database') return databaseAddressSource(db)
  const openSupplier = (ownBase: string) => open(source, apiBase ?? ownBase, { maxBytes })
  const supplier = await addressSuppliers[source](openSupplier, secrets.addressSourceKey ?? '')
  const cached = createCachedAddressSource({ db, supplier, meterPoints: databaseMeterPointSource(db), clock, log })
  closers.push(cached.settled)
  return cached
}
