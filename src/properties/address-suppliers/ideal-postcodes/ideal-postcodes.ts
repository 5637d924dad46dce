import Type, { type Static } from 'typebox'
import { UpstreamFailure } from '../../../platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../../platform/outbound/upstream.ts'
import { type AddressSupplier, propertiesAt, readAllPages, type SuppliedAddress } from '../supplied-properties.ts'

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

/**
 * `GET /v1/postcodes/{postcode}`. `total`, `page` and `limit` are only sent to keys for the Multiple Residence data.
 */
const PostcodeResponse = Type.Object({
  code: Type.Literal(2000),
  result: Type.Array(IdealAddress, { maxItems: 1_000 }),
  page: Type.Optional(Type.Integer({ minimum: 0 })),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})
type PostcodeResponse = Static<typeof PostcodeResponse>

/** Why the API returned no addresses. The message is ignored because it may contain the key. */
const ErrorResponse = Type.Object({ code: Type.Integer(), message: Type.String() })

/** The statuses that the API returns for a valid lookup. Any other (500, 503) is an upstream failure. */
const postcodeResponses = {
  200: PostcodeResponse,
  400: ErrorResponse,
  401: ErrorResponse,
  402: ErrorResponse,
  404: ErrorResponse,
}

/** What the API's error codes mean to the operator. https://docs.ideal-postcodes.co.uk/docs/api/error-codes */
const reasons: Readonly<Record<number, string>> = {
  4010: 'rejected ADDRESS_SOURCE_KEY: the key is unknown',
  4011: "rejected ADDRESS_SOURCE_KEY from this machine: check the key's allowed URLs and addresses",
  4012: 'does not know the licensee',
  4013: 'does not know the user token',
  4020: 'has no lookups left on ADDRESS_SOURCE_KEY: top it up',
  4021: 'has reached the limit set for ADDRESS_SOURCE_KEY',
  4042: 'rejected ADDRESS_SOURCE_KEY: the key is unknown',
}

/** Turns an API error into an upstream failure for the operator's log. Leaves out the API's own message. */
function lookupFailure(upstream: string, statusCode: number, code: number): UpstreamFailure {
  const what = reasons[code] ?? 'rejected the lookup'
  return new UpstreamFailure(upstream, 'status', `${what} (status ${statusCode}, code ${code})`, { statusCode })
}

const idealPostcodesName = 'ideal-postcodes'
export const idealPostcodesBase = 'https://api.ideal-postcodes.co.uk'

/** https://docs.ideal-postcodes.co.uk/docs/api/error-codes */
const postcodeNotFound = 4040

/** A client for the Ideal Postcodes API. */
export function createIdealPostcodes(upstream: Upstream, apiKey: string): AddressSupplier {
  return {
    name: idealPostcodesName,
    async listProperties(postcode) {
      const path = `/v1/postcodes/${encodeURIComponent(postcode)}`
      const addresses = await readAllPages(idealPostcodesName, async (page, itemsBefore, signal) => {
        const { status, body } = await upstream.call({
          path,
          pathForLogs: '/v1/postcodes/{postcode}',
          // The API supports paging only for keys with Multiple Residence data. Without a page number, it returns the
          // first page.
          ...(page === 0 ? {} : { query: new URLSearchParams({ page: String(page) }) }),
          headers: { authorization: `IDEALPOSTCODES api_key="${apiKey}"` },
          responses: postcodeResponses,
          subject: path,
          signal,
        })
        if (status === 200) return { items: body.result, total: body.total ?? itemsBefore + body.result.length }
        if (body.code === postcodeNotFound) return { items: [], total: 0 }
        throw lookupFailure(idealPostcodesName, status, body.code)
      })
      return propertiesAt(postcode, addresses.filter(({ po_box = '' }) => po_box === '').map(readAddress))
    },
  }
}

function readAddress(address: PostcodeResponse['result'][number]): SuppliedAddress {
  const { line_1, line_2, line_3, post_town, county, country, postcode, uprn } = address
  return { lines: [line_1, line_2, line_3], city: post_town, county, country, postcode, uprn: String(uprn) }
}
