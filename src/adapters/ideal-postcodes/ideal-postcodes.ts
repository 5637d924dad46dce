import type { AddressSupplier } from '../../domain/addresses/suppliers/address-supplier.ts'
import { readAllPages } from '../../domain/addresses/suppliers/all-pages.ts'
import { propertiesAt, type SuppliedAddress } from '../../domain/addresses/suppliers/supplied-properties.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { lookupFailure } from './errors.ts'
import { type PostcodeResponse, postcodeResponses } from './wire.ts'

export const idealPostcodesName = 'ideal-postcodes'
export const idealPostcodesBase = 'https://api.ideal-postcodes.co.uk'

/** https://docs.ideal-postcodes.co.uk/docs/api/error-codes */
const postcodeNotFound = 4040

/** A client for the Ideal Postcodes API. */
export function createIdealPostcodes(upstream: Upstream, apiKey: string): AddressSupplier {
  return {
    name: idealPostcodesName,
    async listHomes(postcode) {
      const path = `/v1/postcodes/${encodeURIComponent(postcode)}`
      const addresses = await readAllPages(idealPostcodesName, async (page, itemsBefore, signal) => {
        const { status, body } = await upstream.call({
          path,
          pathForLogs: '/v1/postcodes/{postcode}',
          // The API supports paging only for keys with Multiple Residence data. Without a page number, it returns the first page.
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
