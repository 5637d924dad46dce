import type { Property, SupplierName } from '../property.ts'

/** A home as a supplier tells it: without an identifier of ours, and without meters, which no supplier knows. */
export type SuppliedHome = Omit<Property, 'addressUid' | 'mpan' | 'mprn' | 'source' | 'specialCase'>

/** A company that sells addresses. What it says is kept: see `cached-address-source`. */
export interface AddressSupplier {
  readonly name: SupplierName
  /**
   * Every home at a postcode in its normal form, each UPRN once, in no order; empty where it knows none. Throws
   * `UpstreamFailure` for anything but a complete answer, its message for the operator and without the postcode.
   */
  listHomes(postcode: string): Promise<SuppliedHome[]>
}
