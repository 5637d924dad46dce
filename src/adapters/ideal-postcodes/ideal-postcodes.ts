import { Client } from '@ideal-postcodes/core-node'
import type { AddressSupplier } from '../../domain/addresses/address-supplier.ts'
import { homesAt, type SuppliedAddress } from '../../domain/addresses/supplied-home.ts'
import { readAllPages } from '../outbound-http/all-pages.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { guardedAgent } from './guarded-agent.ts'
import { refusal } from './refusals.ts'
import type { PostcodeAnswer } from './wire.ts'

export const idealPostcodesName = 'ideal-postcodes'
export const idealPostcodesBase = 'https://api.ideal-postcodes.co.uk'

const { IdpcApiError, IdpcPostcodeNotFoundError } = Client.errors

/** Ideal Postcodes, asked by its official client library. `upstream` leads to the API's host. */
export function createIdealPostcodes(upstream: Upstream, apiKey: string): AddressSupplier {
  return {
    name: idealPostcodesName,
    async listHomes(postcode) {
      const addresses = await readAllPages(idealPostcodesName, async (page, itemsBefore, signal) => {
        const { result, total } = await lookUp(clientOver(upstream, apiKey, signal), postcode, page)
        return { items: result, total: total ?? itemsBefore + result.length }
      })
      return homesAt(postcode, addresses.filter(({ po_box = '' }) => po_box === '').map(readAddress))
    },
  }
}

/** The library's client takes no transport, but every call looks for it in this property. */
function clientOver(upstream: Upstream, apiKey: string, signal: AbortSignal): Client {
  return Object.assign(new Client({ api_key: apiKey }), { agent: guardedAgent(upstream, signal) })
}

const nothing: PostcodeAnswer = { code: 2000, result: [] }

/**
 * One page of a postcode. `client.lookupPostcode` would do, but it drops how many addresses there are in all. The library
 * puts the key into a header only where it is handed one. Its errors hold that header: none of them is passed on.
 */
async function lookUp(client: Client, postcode: string, page: number): Promise<PostcodeAnswer> {
  const header = { Authorization: `IDEALPOSTCODES api_key="${client.api_key}"` }
  // Only keys for the Multiple Residence data know pages, and they begin with this one unasked.
  const query = page === 0 ? {} : { page: String(page) }
  try {
    const { body } = await client.postcodes.retrieve(postcode, { header, query })
    return body as PostcodeAnswer
  } catch (error) {
    if (error instanceof IdpcPostcodeNotFoundError) return nothing
    if (!(error instanceof IdpcApiError)) throw error
    const { code } = error.response.body as { code: number }
    throw refusal(idealPostcodesName, error.httpStatus, code)
  }
}

function readAddress(address: PostcodeAnswer['result'][number]): SuppliedAddress {
  const { line_1, line_2, line_3, post_town, county, country, postcode, uprn } = address
  return { lines: [line_1, line_2, line_3], city: post_town, county, country, postcode, uprn: String(uprn) }
}
