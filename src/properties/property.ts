import type { AddressSupplierName } from '../platform/config/address-source.ts'
import type { SpecialCase } from '../sandbox/samples/special-case.ts'
import type { GivenMeterFacts } from './meter-facts/meter-facts.ts'

/** The nations we serve. A property's nation determines its bank holidays. */
export const nations = ['England', 'Wales', 'Scotland'] as const
export type Nation = (typeof nations)[number]

/** A property that can be quoted. All partners share the same properties. */
export interface Property {
  addressUid: string
  addressLine1: string
  /** A building or street. Empty if the address has only one line. */
  addressLine2: string
  city: string
  /** The county; may be empty. */
  county: string
  /** The nation; called `country` in the API. */
  country: Nation
  /** Normalised by `normalisePostcode`: upper case with one space. */
  postcode: string
  /** Unique property reference number: up to 12 digits, without leading zeros. */
  uprn: string
  /** Electricity meter point, 13 digits; null if it is unknown or if the property has no electricity. */
  mpan: string | null
  /** Gas meter point, 6 to 10 digits; null if it is unknown or if the property has no gas. */
  mprn: string | null
  /** What the operator's file says of its meters and heating, where a quote begins; null if nothing. */
  meter: GivenMeterFacts | null
  source: PropertySource
  /** Which special case of the sandbox this is; null for ordinary properties. */
  specialCase: SpecialCase | null
}

/**
 * Where a property comes from: `sample` if it was invented for sandboxes, `import` if it was in the operator's file,
 * otherwise the supplier's name.
 */
export type PropertySource = 'sample' | 'import' | AddressSupplierName

/** Where properties are looked up: in our own database or at an address supplier. */
export interface AddressSource {
  /** Whether the source includes the sandbox's sample properties. */
  readonly hasSamples: boolean

  /**
   * The properties at a normalised postcode, sorted by `orderProperties`; empty if there are none. Throws
   * `service_unavailable` if the source is unavailable.
   */
  findByPostcode(postcode: string): Promise<Property[]>

  /**
   * One property; null if none has this id. Accepts any text. Throws `service_unavailable` if the source is
   * unavailable. `isStored` asks nobody, and returns the property as it is stored.
   */
  findByUid(addressUid: string, options?: { isStored: boolean }): Promise<Property | null>

  /** The property with this UPRN (digits without leading zeros) if it is stored here, otherwise null. Asks nobody. */
  findByUprn(uprn: string): Promise<Property | null>

  /**
   * At most 200 of the stored properties of a postcode's sector, such as `LS2 9`, whose address has this word or number,
   * which may have a letter after it. Asks nobody. Meters may be missing. The word has only letters a to
   * z and digits.
   */
  findInSector(sector: string, word: string): Promise<Property[]>
}
