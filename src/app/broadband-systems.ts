import { createBroadbandDatabase } from '../broadband/broadband-database.http.ts'
import type { BroadbandDatabase } from '../broadband/broadband-database.ts'
import { createHomeTelecom } from '../broadband/home-telecom.http.ts'
import type { HomeTelecom } from '../broadband/home-telecom.ts'
import type { SimulatedUpstreams } from '../broadband/upstream-behaviour.ts'
import type { Config } from '../platform/config/config.ts'
import type { UpstreamLimits } from '../platform/outbound/guard.ts'
import { behaviourHeaders } from '../sandbox/simulators/simulator-server.ts'
import type { OpenUpstream } from './open-upstream.ts'
import type { SimulatorUrls } from './sandbox/simulators.ts'

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

/** Connects to both upstreams, or to the simulator of one without a configured URL. */
export function connectBroadband({ config, simulators, open }: BroadbandDependencies): BroadbandSystems {
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
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
