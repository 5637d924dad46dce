import type { AddressSupplierName } from '../../platform/config/address-source.ts'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import { normaliseUprn } from '../import/import-row.ts'
import { normalisePostcode } from '../postcodes/postcode.ts'
import { type Nation, nations, type Property } from '../property.ts'

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
  const properties = new Map<string, SuppliedProperty>()
  for (const address of addresses) {
    const property = readProperty(address)
    if (property?.postcode === postcode && !properties.has(property.uprn)) properties.set(property.uprn, property)
  }
  return [...properties.values()]
}

function readProperty(address: SuppliedAddress): SuppliedProperty | undefined {
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

/** One page of a list, with the length of the whole list. */
interface Page<Item> {
  items: readonly Item[]
  total: number
}

/** The time limit for all pages together. It is shorter than the ten seconds that a partner waits. */
const allPagesMs = 9_000
/** The maximum number of pages. With the address suppliers' page size of 100, no British postcode comes close. */
const maxPages = 20

/**
 * Reads a whole list page by page. `read` gets the page number (from 0), the number of items already read, and a signal
 * that aborts when the time for all pages is up. Throws `UpstreamFailure` if the list ends early or never ends, because
 * a partial list would look complete.
 */
export async function readAllPages<Item>(
  upstream: string,
  read: (page: number, itemsBefore: number, signal: AbortSignal) => Promise<Page<Item>>,
): Promise<Item[]> {
  const signal = AbortSignal.timeout(allPagesMs)
  const all: Item[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const { items, total } = await read(page, all.length, signal)
    all.push(...items)
    if (all.length >= total) return all
    if (items.length === 0)
      throw new UpstreamFailure(upstream, 'wrong-shape', `returned only ${all.length} of ${total} results`)
  }
  throw new UpstreamFailure(upstream, 'too-large', `has more than ${maxPages} pages for one query`)
}

/**
 * A property as a supplier returns it: without an addressUid, and without meter numbers, which suppliers do not
 * provide.
 */
export type SuppliedProperty = Omit<Property, 'addressUid' | 'mpan' | 'mprn' | 'meter' | 'source' | 'specialCase'>

/** A company that sells address data. `cached-address-source` caches its responses. */
export interface AddressSupplier {
  readonly name: AddressSupplierName
  /**
   * Lists every property at a normalised postcode, unordered and without repeated UPRNs. May be empty. Throws
   * `UpstreamFailure` if the response is incomplete. The failure's message is for the operator and does not contain the
   * postcode.
   */
  listProperties(postcode: string): Promise<SuppliedProperty[]>
}
