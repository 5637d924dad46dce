import type { Property } from './property.ts'

/** A source of properties: our own database, or an address supplier. */
export interface AddressSource {
  /** Whether the source includes the sandbox's sample properties. */
  readonly hasSamples: boolean

  /**
   * The properties at a normalised postcode, sorted by `orderProperties`; empty if there are none. Throws `service_unavailable`
   * if the source is unavailable.
   */
  findByPostcode(postcode: string): Promise<Property[]>

  /** One property; null if none has this id. Accepts any text. Throws `service_unavailable` if the source is unavailable. */
  findByUid(addressUid: string): Promise<Property | null>
}
