import Type, { type Static } from 'typebox'
import { UpstreamFailure } from '../../../platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../../platform/outbound/upstream.ts'
import { type AddressSupplier, propertiesAt, readAllPages, type SuppliedAddress } from '../supplied-properties.ts'

const Name = Type.Optional(Type.String({ maxLength: 200 }))

/**
 * One Delivery Point Address: Royal Mail's address with Ordnance Survey's UPRN. A field that does not apply to the
 * address is absent.
 */
const DeliveryPoint = Type.Object({
  UPRN: Type.String({ maxLength: 20 }),
  ORGANISATION_NAME: Name,
  DEPARTMENT_NAME: Name,
  SUB_BUILDING_NAME: Name,
  BUILDING_NAME: Name,
  BUILDING_NUMBER: Name,
  PO_BOX_NUMBER: Name,
  DEPENDENT_THOROUGHFARE_NAME: Name,
  THOROUGHFARE_NAME: Name,
  DOUBLE_DEPENDENT_LOCALITY: Name,
  DEPENDENT_LOCALITY: Name,
  POST_TOWN: Type.String({ maxLength: 200 }),
  POSTCODE: Type.String({ maxLength: 20 }),
  /** E, W, S, N (Northern Ireland), L (Channel Islands), M (Isle of Man), J (not assigned to a country). */
  COUNTRY_CODE: Name,
})
export type DeliveryPoint = Static<typeof DeliveryPoint>

/** `GET /search/places/v1/postcode`. `results` is left out if there are none. */
const PlacesResponse = Type.Object({
  header: Type.Object({ totalresults: Type.Integer({ minimum: 0 }) }),
  results: Type.Optional(Type.Array(Type.Object({ DPA: DeliveryPoint }), { maxItems: 100 })),
})

const BadRequestResponse = Type.Object({ error: Type.Object({ statuscode: Type.Integer(), message: Type.String() }) })

const placesResponses = { 200: PlacesResponse, 400: BadRequestResponse }

/** Matches a building name that is really a number: `12`, `12A`, `12-14`, `1/2`. */
const numberLike = /^\d+[A-Z]?(?:[-/]\d+[A-Z]?)?$/i

/**
 * The lines of a Delivery Point Address by Royal Mail's rules, without town and postcode: the organisation and premises
 * first, then the street with its number, then the localities. A number is on the same line as the name that follows
 * it.
 * @internal Tested alone.
 */
export function addressLines(address: DeliveryPoint): string[] {
  const { ORGANISATION_NAME, DEPARTMENT_NAME, SUB_BUILDING_NAME, BUILDING_NAME, BUILDING_NUMBER } = address
  const places = present([
    address.DEPENDENT_THOROUGHFARE_NAME,
    address.THOROUGHFARE_NAME,
    address.DOUBLE_DEPENDENT_LOCALITY,
    address.DEPENDENT_LOCALITY,
  ])
  const premises = present([ORGANISATION_NAME, DEPARTMENT_NAME])
  const names = present([SUB_BUILDING_NAME, BUILDING_NAME])
  const last = names.at(-1)
  const number =
    present([BUILDING_NUMBER])[0] ?? (last !== undefined && numberLike.test(last) ? names.pop() : undefined)
  premises.push(...names)
  if (number !== undefined) premises.push([number, ...places.splice(0, 1)].join(' '))
  else if (premises.length === 0) premises.push(...places.splice(0, 1))
  return [premises.join(', '), ...places]
}

function present(names: readonly (string | undefined)[]): string[] {
  return names.flatMap((name) => (name === undefined || name.trim() === '' ? [] : [name.trim()]))
}

const osPlacesName = 'os-places'
export const osPlacesBase = 'https://api.os.uk'

/** The largest page size that the API allows. */
const pageSize = 100

/** The API's 400 message for a well-formed but unknown postcode. */
const unknownPostcode = /^Requested postcode must contain/

/** A client for Ordnance Survey's OS Places API. It reads the Delivery Point Addresses (DPA). */
export function createOsPlaces(upstream: Upstream, apiKey: string): AddressSupplier {
  return {
    name: osPlacesName,
    async listProperties(postcode) {
      const addresses = await readAllPages(osPlacesName, async (_page, itemsBefore, signal) => {
        const response = await upstream
          .call({
            path: '/search/places/v1/postcode',
            query: new URLSearchParams({
              postcode,
              dataset: 'DPA',
              // Properties in Wales have a second address in Welsh.
              lr: 'EN',
              maxresults: String(pageSize),
              offset: String(itemsBefore),
            }),
            headers: { key: apiKey },
            responses: placesResponses,
            subject: postcode,
            signal,
          })
          .catch(explainRejection)
        if (response.status === 200) return readPage(response.body)
        if (unknownPostcode.test(response.body.error.message)) return { items: [], total: 0 }
        throw new UpstreamFailure(osPlacesName, 'status', 'rejected the lookup (status 400)', { statusCode: 400 })
      })
      return propertiesAt(postcode, addresses.filter((address) => address.PO_BOX_NUMBER === undefined).map(readAddress))
    },
  }
}

/**
 * Translates the failure: the upstream client reports only the status, but the operator needs to know that the key is
 * the problem.
 */
function explainRejection(error: unknown): never {
  const statusCode = error instanceof UpstreamFailure ? error.statusCode : undefined
  if (statusCode !== 401 && statusCode !== 403) throw error
  const what =
    statusCode === 401
      ? 'rejected ADDRESS_SOURCE_KEY: the key is unknown'
      : 'is not enabled for the project that the key in ADDRESS_SOURCE_KEY belongs to'
  throw new UpstreamFailure(osPlacesName, 'status', `${what} (status ${statusCode})`, { statusCode })
}

function readPage({ header, results = [] }: { header: { totalresults: number }; results?: { DPA: DeliveryPoint }[] }) {
  return { items: results.map(({ DPA }) => DPA), total: header.totalresults }
}

const nationByCode: Readonly<Record<string, string>> = { E: 'England', W: 'Wales', S: 'Scotland' }

function readAddress(address: DeliveryPoint): SuppliedAddress {
  return {
    lines: addressLines(address),
    city: address.POST_TOWN,
    // Delivery Point Addresses have no county: Royal Mail dropped counties in 1996.
    county: '',
    country: nationByCode[address.COUNTRY_CODE ?? ''] ?? '',
    postcode: address.POSTCODE,
    uprn: address.UPRN,
  }
}
