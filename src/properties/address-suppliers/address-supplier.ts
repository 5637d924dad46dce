import type { SupplierName } from '../../platform/config/address-source.ts'
import type { Property } from '../property.ts'

/**
 * A property as a supplier returns it: without an addressUid, and without meter numbers, which suppliers do not
 * provide.
 */
export type SuppliedProperty = Omit<Property, 'addressUid' | 'mpan' | 'mprn' | 'source' | 'specialCase'>

/** A company that sells address data. `cached-address-source` caches its responses. */
export interface AddressSupplier {
  readonly name: SupplierName
  /**
   * Lists every property at a normalised postcode, unordered and without repeated UPRNs. May be empty. Throws
   * `UpstreamFailure` if the response is incomplete. The failure's message is for the operator and does not contain the
   * postcode.
   */
  listHomes(postcode: string): Promise<SuppliedProperty[]>
}
