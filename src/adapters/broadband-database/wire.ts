import Type from 'typebox'

/** The answer of `docs/upstreams/broadband-database.openapi.yaml`. Fields beyond these are ignored. */
const AvailabilityAnswer = Type.Object({
  available: Type.Boolean(),
  /** Mbps; 0 where nothing is available. */
  maxDownloadMbps: Type.Number({ minimum: 0, maximum: 1_000_000 }),
})

export const availabilityAnswers = { 200: AvailabilityAnswer }
