import type { Home } from './home.ts'

/** What the network records say of one home. */
export interface LineRecord {
  /** True where broadband can be had over some network. */
  available: boolean
  /** The fastest download any network there can carry, in Mbps; 0 where there is none. */
  maxSpeedMbps: number
}

/** The database of broadband networks: what can be had at a home, whoever sells it. */
export interface BroadbandDatabase {
  /** Throws `UpstreamFailure` when it gave no usable answer; `signal` ends the wait. */
  findLine(home: Home, signal?: AbortSignal): Promise<LineRecord>
}
