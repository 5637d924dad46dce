import type { BroadbandDatabase } from './broadband-database.ts'
import type { HomeTelecom } from './home-telecom.ts'
import type { SimulatedUpstreams } from './upstream-behaviour.ts'

/** The providers of broadband. */
export interface BroadbandDependencies {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  /** Undefined outside a sandbox. */
  simulatedUpstreams: SimulatedUpstreams | undefined
}
