import type { PropertyLocation } from './property-location.ts'

/** The network records of one property. */
export interface BroadbandRecord {
  /** Whether any network can supply broadband. */
  available: boolean
  /** The fastest download speed of any network, in Mbps; 0 if there is none. */
  maxSpeedMbps: number
}

/** An external database of broadband networks. It records what broadband a property can have from any provider. */
export interface BroadbandDatabase {
  /** Throws `UpstreamFailure` if there is no usable response. `signal` aborts the call. */
  findLine(property: PropertyLocation, signal?: AbortSignal): Promise<BroadbandRecord>
}
