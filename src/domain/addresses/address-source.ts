import type { Property } from './property.ts'

/** Where homes come from: our own database, or a supplier of addresses. */
export interface AddressSource {
  /** Whether the sandbox's sample homes are among its homes. */
  readonly hasSamples: boolean

  /**
   * The homes at a postcode in its normal form, in the order of `orderProperties`; empty where it has none.
   * Throws `service_unavailable` when the source cannot be asked.
   */
  findByPostcode(postcode: string): Promise<Property[]>

  /** One home, or null where no home has this identifier. Any text may be asked for. Throws as above. */
  findByUid(addressUid: string): Promise<Property | null>
}
