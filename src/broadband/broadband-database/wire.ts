import Type from 'typebox'

/** The response described in `docs/upstreams/broadband-database.openapi.yaml`. Other fields are ignored. */
const AvailabilityResponse = Type.Object({
  available: Type.Boolean(),
  /** In Mbps; 0 if no broadband is available. */
  maxDownloadMbps: Type.Number({ minimum: 0, maximum: 1_000_000 }),
})

export const availabilityResponses = { 200: AvailabilityResponse }
