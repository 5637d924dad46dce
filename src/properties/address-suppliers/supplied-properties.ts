import { normalisePostcode } from '../postcodes/postcode.ts'
import { type Nation, nations } from '../property.ts'
import { normaliseUprn } from '../uprn.ts'
import type { SuppliedProperty } from './address-supplier.ts'

/** One address from a supplier's response, as received. */
export interface SuppliedAddress {
  /** The address lines from the premises to the locality, without the town and postcode. Empty lines are ignored. */
  lines: readonly string[]
  city: string
  county: string
  /** The English name of the nation. Addresses in nations that we do not serve are left out. */
  country: string
  postcode: string
  uprn: string
}

/**
 * The properties at this normalised postcode among a supplier's addresses. Leaves out addresses that cannot be quoted:
 * those outside Great Britain, at another postcode, without an address line or a town, or without a UPRN (which they
 * need to keep their addressUid). If several addresses share a UPRN (a household and a business at one door), keeps the
 * first.
 */
export function propertiesAt(postcode: string, addresses: readonly SuppliedAddress[]): SuppliedProperty[] {
  const homes = new Map<string, SuppliedProperty>()
  for (const address of addresses) {
    const home = readHome(address)
    if (home?.postcode === postcode && !homes.has(home.uprn)) homes.set(home.uprn, home)
  }
  return [...homes.values()]
}

function readHome(address: SuppliedAddress): SuppliedProperty | undefined {
  const [addressLine1 = '', ...further] = address.lines.map(tidy).filter((line) => line !== '')
  const city = tidy(address.city)
  const country = nationNamed(address.country)
  const postcode = normalisePostcode(address.postcode)
  const uprn = normaliseUprn(address.uprn)
  if (country === undefined || postcode === null || uprn === null || addressLine1 === '' || city === '')
    return undefined
  return { addressLine1, addressLine2: further.join(', '), city, county: tidy(address.county), country, postcode, uprn }
}

/**
 * Makes text a single line without control characters, because PostgreSQL rejects zero bytes and documents cannot print
 * the other control characters.
 */
function tidy(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

function nationNamed(name: string): Nation | undefined {
  return nations.find((nation) => nation === name.trim())
}
