import type { Property } from './property.ts'

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
   * unavailable.
   */
  findByUid(addressUid: string): Promise<Property | null>
}
