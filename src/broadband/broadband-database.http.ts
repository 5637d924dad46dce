import Type from 'typebox'
import type { Upstream } from '../platform/outbound/upstream.ts'
import type { BroadbandDatabase } from './broadband-providers.ts'

/** The response described in `docs/upstreams/broadband-database.openapi.yaml`. Other fields are ignored. */
const AvailabilityResponse = Type.Object({
  available: Type.Boolean(),
  /** In Mbps; 0 if no broadband is available. */
  maxDownloadMbps: Type.Number({ minimum: 0, maximum: 1_000_000 }),
})

/** @internal Tests compare the simulator with it. */
export const availabilityResponses = { 200: AvailabilityResponse }

/** A client for `docs/upstreams/broadband-database.openapi.yaml`. Every call sends `headers`. */
export function createBroadbandDatabase(upstream: Upstream, headers: Record<string, string> = {}): BroadbandDatabase {
  return {
    async findLine({ uprn, postcode }, signal) {
      const query = new URLSearchParams({ uprn, postcode })
      const call = { path: '/v1/availability', query, headers, responses: availabilityResponses, subject: uprn, signal }
      const { available, maxDownloadMbps } = (await upstream.call(call)).body
      return { available, maxSpeedMbps: available ? maxDownloadMbps : 0 }
    },
  }
}
