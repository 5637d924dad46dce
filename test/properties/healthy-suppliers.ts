import type { IncomingMessage } from 'node:http'
import type { AddressSupplierName } from '../../src/platform/config/address-source.ts'
import { json, type Script } from '../platform/outbound/scripted-server.ts'

/**
 * The responses of healthy address suppliers for any postcode: as many properties in Norwich as the test says, each
 * with its own UPRN.
 */
export const healthySuppliers: Record<AddressSupplierName, (properties: (postcode: string) => number) => Script> = {
  'os-places': (properties) => (request, response) => {
    const postcode = new URL(request.url ?? '', 'http://x').searchParams.get('postcode') ?? ''
    const results = numbersUpTo(properties(postcode)).map((number) => ({
      DPA: {
        UPRN: uprnOf(postcode, number),
        BUILDING_NUMBER: String(number),
        THOROUGHFARE_NAME: 'HIGH STREET',
        POST_TOWN: 'NORWICH',
        POSTCODE: postcode,
        COUNTRY_CODE: 'E',
      },
    }))
    answer({ header: { totalresults: results.length }, results })(request, response)
  },

  'ideal-postcodes': (properties) => (request, response) => {
    const postcode = decodeURIComponent(lastPart(request))
    const result = numbersUpTo(properties(postcode)).map((number) => ({
      ...{ line_1: `${number} High Street`, line_2: '', line_3: '', post_town: 'NORWICH', county: 'Norfolk' },
      ...{ country: 'England', postcode, uprn: uprnOf(postcode, number), po_box: '' },
    }))
    answer({ result, code: 2000, message: 'Success' })(request, response)
  },
}

/** Words of the suppliers' names, none of which a partner may see. */
export const supplierWords: readonly string[] = Object.keys(healthySuppliers)
  .flatMap((name) => name.split('-'))
  .filter((word) => word.length > 2)

function answer(body: object): Script {
  return json(JSON.stringify(body))
}

function lastPart({ url = '' }: IncomingMessage): string {
  return url.split('/').at(-1) ?? ''
}

function numbersUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Returns a UPRN that no other property in the same postcode area has. */
function uprnOf(postcode: string, number: number): string {
  const index = Number.parseInt(postcode.replace(/^[A-Z]+|\s/g, ''), 36)
  return String(number * 100_000_000 + index)
}
