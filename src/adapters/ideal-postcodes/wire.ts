import Type, { type Static } from 'typebox'

const Line = Type.String({ maxLength: 200 })

/** One address of the Ideal Postcodes API. Other fields are ignored. */
const IdealAddress = Type.Object({
  line_1: Line,
  line_2: Line,
  line_3: Line,
  post_town: Line,
  county: Line,
  country: Line,
  postcode: Line,
  /** Empty if the address has none; a number with old API keys. */
  uprn: Type.Union([Line, Type.Integer({ minimum: 0 })]),
  /** Empty unless the address is a post office box. */
  po_box: Type.Optional(Line),
})

/** `GET /v1/postcodes/{postcode}`. The three figures are only sent to keys for the Multiple Residence data. */
export const PostcodeResponse = Type.Object({
  code: Type.Literal(2000),
  result: Type.Array(IdealAddress, { maxItems: 1_000 }),
  page: Type.Optional(Type.Integer({ minimum: 0 })),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type PostcodeResponse = Static<typeof PostcodeResponse>

/** Why the API returned no addresses. Its message may name the key, so it is ignored. */
const ErrorResponse = Type.Object({ code: Type.Integer(), message: Type.String() })

/** Every status for a valid lookup; others (500, 503) are upstream failures. */
export const postcodeResponses = {
  200: PostcodeResponse,
  400: ErrorResponse,
  401: ErrorResponse,
  402: ErrorResponse,
  404: ErrorResponse,
}
