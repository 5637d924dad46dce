import { normalisePostcode } from '../postcodes/postcode.ts'
import { type Nation, nations } from '../property.ts'
import { isUprn } from '../uprn.ts'
import type { SuppliedHome } from './address-supplier.ts'

/** One address of a supplier's answer, its texts as they were delivered. */
export interface SuppliedAddress {
  /** From the premises to the locality, without town and postcode; empty ones count as not there. */
  lines: readonly string[]
  city: string
  county: string
  /** The nation's English name; anything else is not served. */
  country: string
  postcode: string
  uprn: string
}

/**
 * The homes among a supplier's addresses of this postcode (in its normal form). Left out is what cannot be quoted for:
 * an address without a UPRN, which could not be found again under the same addressUid; one outside Great Britain; one
 * without a line or a town; and one of another postcode. Of several with one UPRN (a household and a business behind one
 * door) the first stays.
 */
export function homesAt(postcode: string, addresses: readonly SuppliedAddress[]): SuppliedHome[] {
  const homes = new Map<string, SuppliedHome>()
  for (const address of addresses) {
    const home = readHome(address)
    if (home?.postcode === postcode && !homes.has(home.uprn)) homes.set(home.uprn, home)
  }
  return [...homes.values()]
}

function readHome(address: SuppliedAddress): SuppliedHome | undefined {
  const [addressLine1 = '', ...further] = address.lines.map(tidy).filter((line) => line !== '')
  const city = tidy(address.city)
  const country = nationNamed(address.country)
  const postcode = normalisePostcode(address.postcode)
  const uprn = address.uprn.trim()
  if (country === undefined || postcode === null || !isUprn(uprn) || addressLine1 === '' || city === '')
    return undefined
  return { addressLine1, addressLine2: further.join(', '), city, county: tidy(address.county), country, postcode, uprn }
}

/** One line of text: PostgreSQL takes no zero byte, and a document no control character. */
function tidy(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

function nationNamed(name: string): Nation | undefined {
  return nations.find((nation) => nation === name.trim())
}
