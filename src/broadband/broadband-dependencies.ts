import type { BroadbandDatabase, HomeTelecom } from './broadband-providers.ts'
import type { SimulatedUpstreams } from './upstream-behaviour.ts'

/** The providers of broadband. */
export interface BroadbandDependencies {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Undefined outside a sandbox. */
  simulatedUpstreams: SimulatedUpstreams | undefined
}
