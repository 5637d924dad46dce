import Type, { type Static } from 'typebox'

const Line = Type.String({ maxLength: 200 })

/** One address of the Ideal Postcodes API. Fields beyond these are ignored. */
const IdealAddress = Type.Object({
  line_1: Line,
  line_2: Line,
  line_3: Line,
  post_town: Line,
  county: Line,
  country: Line,
  postcode: Line,
  /** Empty where the address has none; old keys get a number. */
  uprn: Type.Union([Line, Type.Integer({ minimum: 0 })]),
  /** Empty where the address is no post office box. */
  po_box: Type.Optional(Line),
})

/** `GET /v1/postcodes/{postcode}`. The three figures come with keys for the Multiple Residence data only. */
export const PostcodeAnswer = Type.Object({
  code: Type.Literal(2000),
  result: Type.Array(IdealAddress, { maxItems: 1_000 }),
  page: Type.Optional(Type.Integer({ minimum: 0 })),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type PostcodeAnswer = Static<typeof PostcodeAnswer>

/** Why the API gives no addresses. Its message may name the key, so it is read no further. */
const RefusalAnswer = Type.Object({ code: Type.Integer(), message: Type.String() })

/** Everything the API says about a question it has understood; what is missing here (500, 503) is a failure. */
export const postcodeAnswers = {
  200: PostcodeAnswer,
  400: RefusalAnswer,
  401: RefusalAnswer,
  402: RefusalAnswer,
  404: RefusalAnswer,
}
