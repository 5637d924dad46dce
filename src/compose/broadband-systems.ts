import { behaviourHeaders } from '../../simulators/behaviour-header.ts'
import { createBroadbandDatabase } from '../adapters/broadband-database/http.ts'
import { createHomeTelecom } from '../adapters/home-telecom/http.ts'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import type { Config } from '../config/config.ts'
import type { BroadbandDatabase } from '../domain/broadband/broadband-database.ts'
import type { HomeTelecom } from '../domain/broadband/home-telecom.ts'
import type { SimulatedUpstreams } from '../domain/broadband/upstream-behaviour.ts'
import type { BankHolidays } from '../kernel/working-days.ts'
import type { OpenUpstream } from './open-upstream.ts'
import {
  type RunningSimulator,
  startBroadbandDatabaseSimulator,
  startHomeTelecomSimulator,
} from './sandbox/sandbox-systems.ts'

/** The two broadband upstreams. */
export interface BroadbandSystems {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Undefined outside a sandbox. */
  simulatedUpstreams: SimulatedUpstreams | undefined
}

interface BroadbandDependencies {
  config: Config
  bankHolidays: BankHolidays
  open: OpenUpstream
}

/**
 * Simulated failures say nothing about a real upstream, so they never open the circuit breaker. The concurrency limit is higher than the
 * number of calls that one partner can start while a call hangs, so a partner who simulates failures never blocks another.
 */
const steeredLimits: Partial<UpstreamLimits> = { failuresToOpen: Number.POSITIVE_INFINITY, concurrency: 1_024 }

/** Connects to both upstreams. For one without a configured URL, starts a simulator and adds its `close` to `closers`. */
export async function connectBroadband(
  { config, bankHolidays, open }: BroadbandDependencies,
  closers: (() => Promise<void>)[],
): Promise<BroadbandSystems> {
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
  const simulated = async (start: () => Promise<RunningSimulator>) => {
    const simulator = await start()
    closers.push(simulator.close)
    return simulator.baseUrl
  }
  const connect = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => {
    const upstream = open(name, baseUrl, limits)
    closers.push(upstream.close)
    return upstream
  }
  const steered: SimulatedUpstreams = { homeTelecom: undefined, broadbandDatabase: undefined }
  const telecomUrl = homeTelecomUrl ?? (await simulated(() => startHomeTelecomSimulator(bankHolidays)))
  if (homeTelecomUrl === undefined) {
    const upstream = connect('home-telecom-steered', telecomUrl, steeredLimits)
    steered.homeTelecom = (behaviour) => createHomeTelecom(upstream, behaviourHeaders(behaviour))
  }
  const databaseUrl = broadbandDatabaseUrl ?? (await simulated(startBroadbandDatabaseSimulator))
  if (broadbandDatabaseUrl === undefined) {
    const upstream = connect('broadband-database-steered', databaseUrl, steeredLimits)
    steered.broadbandDatabase = (behaviour) => createBroadbandDatabase(upstream, behaviourHeaders(behaviour))
  }
  return {
    homeTelecom: createHomeTelecom(connect('home-telecom', telecomUrl)),
    broadbandDatabase: createBroadbandDatabase(connect('broadband-database', databaseUrl)),
    simulatedUpstreams: config.realm === 'sandbox' ? steered : undefined,
  }
}
