import type { AddressSupplier } from '../../domain/addresses/suppliers/address-supplier.ts'
import { propertiesAt, type SuppliedAddress } from '../../domain/addresses/suppliers/supplied-properties.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { readAllPages } from '../outbound-http/all-pages.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { addressLines } from './address-lines.ts'
import { type DeliveryPoint, placesAnswers } from './wire.ts'

export const osPlacesName = 'os-places'
export const osPlacesBase = 'https://api.os.uk'

/** The most the API gives at once. */
const pageSize = 100

/** What the API says, with status 400, of a postcode that is well formed and that it does not know. */
const unknownPostcode = /^Requested postcode must contain/

/** Ordnance Survey's OS Places API, its Delivery Point Addresses. `upstream` leads to the API's host. */
export function createOsPlaces(upstream: Upstream, apiKey: string): AddressSupplier {
  return {
    name: osPlacesName,
    async listHomes(postcode) {
      const addresses = await readAllPages(osPlacesName, async (_page, itemsBefore, signal) => {
        const answer = await upstream
          .call({
            path: '/search/places/v1/postcode',
            query: new URLSearchParams({
              postcode,
              dataset: 'DPA',
              // Homes in Wales have a second address in Welsh.
              lr: 'EN',
              maxresults: String(pageSize),
              offset: String(itemsBefore),
            }),
            headers: { key: apiKey },
            answers: placesAnswers,
            subject: postcode,
            signal,
          })
          .catch(explainRefusal)
        if (answer.status === 200) return readPage(answer.body)
        if (unknownPostcode.test(answer.body.error.message)) return { items: [], total: 0 }
        throw new UpstreamFailure(osPlacesName, 'status', 'rejected the lookup (status 400)', { statusCode: 400 })
      })
      return propertiesAt(postcode, addresses.filter((address) => address.PO_BOX_NUMBER === undefined).map(readAddress))
    },
  }
}

/** The way out knows only the status; an operator needs to know that the key is the matter. */
function explainRefusal(error: unknown): never {
  const statusCode = error instanceof UpstreamFailure ? error.statusCode : undefined
  if (statusCode !== 401 && statusCode !== 403) throw error
  const what =
    statusCode === 401
      ? 'rejected ADDRESS_SOURCE_KEY: the key is unknown'
      : 'is not enabled for the project of ADDRESS_SOURCE_KEY'
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
    // Delivery Point Addresses have none: the post dropped counties in 1996.
    county: '',
    country: nationByCode[address.COUNTRY_CODE ?? ''] ?? '',
    postcode: address.POSTCODE,
    uprn: address.UPRN,
  }
}
