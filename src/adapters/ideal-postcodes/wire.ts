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
  /** Empty if the address has no UPRN. A number, not a string, if the API key is old. */
  uprn: Type.Union([Line, Type.Integer({ minimum: 0 })]),
  /** Empty unless the address is a post office box. */
  po_box: Type.Optional(Line),
})

/** `GET /v1/postcodes/{postcode}`. `total`, `page` and `limit` are only sent to keys for the Multiple Residence data. */
export const PostcodeResponse = Type.Object({
  code: Type.Literal(2000),
  result: Type.Array(IdealAddress, { maxItems: 1_000 }),
  page: Type.Optional(Type.Integer({ minimum: 0 })),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type PostcodeResponse = Static<typeof PostcodeResponse>

/** Why the API returned no addresses. The message is ignored because it may contain the key. */
const ErrorResponse = Type.Object({ code: Type.Integer(), message: Type.String() })

/** The statuses that the API returns for a valid lookup. Any other (500, 503) is an upstream failure. */
export const postcodeResponses = {
  200: PostcodeResponse,
  400: ErrorResponse,
  401: ErrorResponse,
  402: ErrorResponse,
  404: ErrorResponse,
}
