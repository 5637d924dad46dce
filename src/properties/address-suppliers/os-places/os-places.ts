import { UpstreamFailure } from '../../../platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../../platform/outbound/upstream.ts'
import type { AddressSupplier } from '../address-supplier.ts'
import { readAllPages } from '../all-pages.ts'
import { propertiesAt, type SuppliedAddress } from '../supplied-properties.ts'
import { addressLines } from './address-lines.ts'
import { type DeliveryPoint, placesResponses } from './wire.ts'

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
    async listHomes(postcode) {
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
